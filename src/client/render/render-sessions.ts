import type { JsonObject } from '../../protocol/tool-result.js';
import { printableLine } from './printable.js';
import type { Style } from './style.js';
import { factLines, textTable } from './text-table.js';
import { counted, duration, utcTime } from './units.js';

interface ListedSession {
  readonly session_id: string;
  readonly session_ref: string | null;
  readonly title: string | null;
  readonly lifecycle: 'active' | 'closed';
  readonly updated_at: number;
}

interface SessionPage {
  readonly total: number;
  readonly next_offset: number | null;
  readonly sessions: readonly ListedSession[];
}

/** `list_sessions`, for people. */
export function renderSessions(output: JsonObject, style: Style): string {
  const page = output as unknown as SessionPage;
  if (page.sessions.length === 0) return page.total === 0 ? 'There are no Sessions.' : `There are ${counted(page.total, 'Session')} before this page.`;
  const table = textTable(
    page.sessions,
    [
      { title: 'ref', value: ({ session_ref }) => session_ref ?? '-' },
      { title: 'session', value: ({ session_id }) => session_id },
      {
        title: 'state',
        value: ({ lifecycle }) => lifecycle,
        paint: (text, { lifecycle }) => (lifecycle === 'active' ? style.good(text) : style.dim(text)),
      },
      { title: 'updated', value: ({ updated_at }) => utcTime(updated_at * 1_000) },
      { title: 'title', value: ({ title }) => title ?? '' },
    ],
    style,
  );
  return page.next_offset === null ? table : `${table}\n${style.dim(`… ${page.total} in all: --offset ${page.next_offset}`)}`;
}

interface SessionEvent {
  readonly kind: string;
  readonly timestamp: number;
  readonly tool_name: string;
  readonly status?: string | null;
  readonly exit_code?: number | null;
  readonly error_kind?: string | null;
  readonly duration_ms?: number | null;
  readonly changed_paths?: readonly string[];
  readonly instruction?: string;
}

interface SessionSummary {
  readonly session_id: string;
  readonly project: string | null;
  readonly title: string | null;
  readonly mode: string;
  readonly lifecycle: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly events: readonly SessionEvent[];
  readonly events_total: number;
  readonly events_evicted: number;
  readonly events_truncated: boolean;
}

/** `read_session_summary`, for people: a finished call says all that its start said. */
export function renderSession(output: JsonObject, style: Style): string {
  const session = output as unknown as SessionSummary;
  const facts = factLines(
    [
      ['session', session.session_id],
      ['title', session.title],
      ['project', session.project],
      ['state', `${session.lifecycle}, ${session.mode}`],
      ['created', utcTime(session.created_at * 1_000)],
      ['updated', utcTime(session.updated_at * 1_000)],
      ['counts', countsText(session.counts)],
      ['events', `${session.events_total}${session.events_evicted > 0 ? `, ${session.events_evicted} of these have left the bounded record` : ''}`],
    ],
    style,
  );
  const shown = withoutAnsweredStarts(session.events);
  if (shown.length === 0) return facts;
  const table = textTable(
    shown,
    [
      { title: 'time', value: ({ timestamp }) => utcTime(timestamp * 1_000) },
      { title: 'what', value: (event) => (event.kind.startsWith('tool_call') ? event.tool_name : event.kind.replaceAll('_', ' ')) },
      { title: 'how', value: howText, paint: (text, { status }) => (status === 'failed' ? style.bad(text) : text) },
      { title: 'took', value: ({ duration_ms }) => (typeof duration_ms === 'number' ? duration(duration_ms) : ''), align: 'right' },
      { title: 'about', value: aboutText },
    ],
    style,
  );
  return `${facts}\n\n${table}${session.events_truncated ? `\n${style.dim('… older events: --limit')}` : ''}`;
}

function countsText(counts: SessionSummary['counts']): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`)
    .join(', ');
}

/** A start whose finish is shown as well says nothing more. */
function withoutAnsweredStarts(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const finished = new Set(events.filter(({ kind }) => kind === 'tool_call_finished').map(callId));
  return events.filter((event) => event.kind !== 'tool_call_started' || !finished.has(callId(event)));
}

function callId(event: SessionEvent): unknown {
  return (event as unknown as { readonly call_id?: string }).call_id;
}

function howText({ kind, status, exit_code: exitCode, error_kind: errorKind }: SessionEvent): string {
  if (kind === 'tool_call_started') return 'under way';
  const how = status ?? '';
  const detail = typeof exitCode === 'number' && exitCode !== 0 ? `exit ${exitCode}` : (errorKind ?? '');
  return detail === '' ? how : `${how} (${detail})`;
}

function aboutText({ instruction, changed_paths: paths }: SessionEvent): string {
  if (instruction !== undefined) return printableLine(instruction).slice(0, 100);
  return paths?.join(' ') ?? '';
}
