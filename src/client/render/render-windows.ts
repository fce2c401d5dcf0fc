import type { JsonObject } from '../../protocol/tool-result.js';
import { printable } from './printable.js';
import type { Style } from './style.js';
import { factLines, textTable } from './text-table.js';
import { counted, duration, utcTime } from './units.js';

interface WindowFacts {
  readonly window: string;
  readonly source: string;
  readonly projects: readonly string[];
  readonly last_meaningful_activity_at_ms: number;
  readonly messages: readonly { readonly message_id: string; readonly from: 'operator' | 'window'; readonly message: string; readonly created_at_ms: number; readonly projection_count: number }[];
}

interface ActivityEvent {
  readonly started_at_ms: number;
  readonly tool_name: string | null;
  readonly status: string;
  readonly project: string | null;
  readonly duration_ms: number;
  readonly next_call_gap_ms: number | null;
}

interface ActivityFacts {
  readonly status: 'available' | 'unavailable';
  readonly reason_code?: string;
  readonly events?: readonly ActivityEvent[];
  readonly truncated?: boolean;
  readonly active_requests?: readonly { readonly tool_name: string }[];
}

/** The windows of this daemon as a table, the latest activity first. */
export function renderPeers(output: JsonObject, style: Style): string {
  const { windows } = output as unknown as { readonly windows: readonly WindowFacts[] };
  if (windows.length === 0) return 'No window has worked here yet.';
  return textTable(
    windows,
    [
      { title: 'peer', value: ({ window }) => window },
      { title: 'source', value: ({ source }) => source },
      { title: 'last active', value: ({ last_meaningful_activity_at_ms: at }) => utcTime(at) },
      { title: 'projects', value: ({ projects }) => projects.join(' ') },
    ],
    style,
  );
}

/** The same with what the operator said to each, and what came back. */
export function renderWindows(output: JsonObject, style: Style): string {
  const { windows } = output as unknown as { readonly windows: readonly WindowFacts[] };
  const said = windows.flatMap(({ window, messages }) => messages.map((message) => ({ window, ...message })));
  const lines = said.map(({ window, from, message, message_id: id, created_at_ms: at, projection_count: shown }) =>
    [
      `${utcTime(at)}  ${from === 'operator' ? `to ${window}` : `from ${window}`}  ${style.dim(id)}${from === 'operator' ? style.dim(`, shown ${counted(shown, 'time')}`) : ''}`,
      `  ${printable(message)}`,
    ].join('\n'),
  );
  return [renderPeers(output, style), ...lines].join('\n\n');
}

/** `read_current_window_activity`, for people. */
export function renderWindowActivity(output: JsonObject, style: Style): string {
  const { status, reason_code: reason, events = [], truncated, active_requests: active = [] } = output as unknown as ActivityFacts;
  if (status === 'unavailable') {
    const why = reason === 'window_identity_unavailable' ? 'this call has no window; name one with --window or WC_WINDOW' : (reason ?? '');
    return `There is no activity to show: ${why}.`;
  }
  const facts = factLines([['under way', active.length === 0 ? 'nothing' : active.map(({ tool_name: tool }) => tool).join(' ')]], style);
  if (events.length === 0) return `${facts}\n\nNothing was recorded of this window.`;
  const table = textTable(
    events,
    [
      { title: 'time', value: ({ started_at_ms: at }) => utcTime(at) },
      { title: 'tool', value: ({ tool_name: tool }) => tool ?? '' },
      { title: 'how', value: ({ status: how }) => how, paint: (text, { status: how }) => (how === 'success' ? text : style.bad(text)) },
      { title: 'took', value: ({ duration_ms: took }) => duration(took), align: 'right' },
      { title: 'until the next', value: ({ next_call_gap_ms: gap }) => (gap === null ? '' : duration(gap)), align: 'right' },
      { title: 'project', value: ({ project }) => project ?? '' },
    ],
    style,
  );
  return `${facts}\n\n${table}${truncated === true ? `\n${style.dim('… older calls are not shown')}` : ''}`;
}
