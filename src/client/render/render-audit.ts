import type { Style } from './style.js';
import type { Column } from './text-table.js';
import { factLines, textTable } from './text-table.js';
import { byteSize, counted, duration, utcTime } from './units.js';

/** An Action Audit Session as its routes show it. Times are Unix seconds. */
export interface AuditSession {
  readonly session_id: string;
  readonly title: string | null;
  readonly note: string | null;
  readonly status: 'open' | 'closed';
  readonly created_at: number;
  readonly closed_at: number | null;
  readonly last_event_at: number | null;
  readonly total_actions: number;
  readonly success_count: number;
  readonly failed_count: number;
  readonly timeout_or_unknown_count: number;
  readonly warning_count: number;
  readonly total_duration_ms: number;
  readonly changed_files_count: number;
}

/** One audited call. */
export interface AuditEvent {
  readonly started_at: number;
  readonly duration_ms: number;
  readonly operation: string | null;
  readonly action_name: string;
  readonly project: string | null;
  readonly status: string;
  readonly error_summary: string | null;
  readonly response_bytes: number | null;
  readonly summary: { readonly model_ergonomics?: { readonly error_kind?: string | null; readonly serialized_result_bytes?: number | null } };
}

interface Spread {
  readonly p50: number | null;
  readonly p95: number | null;
}

interface CallStatistics {
  readonly calls: number;
  readonly success: number;
  readonly failed: number;
  readonly unknown: number;
  readonly unmeasured: number;
  readonly duration_ms: Spread;
  readonly result_bytes: Spread;
  readonly error_kinds: Readonly<Record<string, number>>;
}

/** Statistics of calls, over all and by tool. */
export interface AuditStatistics {
  readonly totals: CallStatistics;
  readonly tools: readonly (CallStatistics & { readonly tool: string })[];
  readonly coverage: { readonly events: number; readonly first_started_at: number | null; readonly last_started_at: number | null };
}

/** `wc audit sessions`. */
export function renderAuditSessions(sessions: readonly AuditSession[], style: Style): string {
  if (sessions.length === 0) return 'There are no audit sessions.';
  const number = (title: string, value: (session: AuditSession) => number): Column<AuditSession> => ({
    title,
    value: (session) => String(value(session)),
    align: 'right',
  });
  return textTable(
    sessions,
    [
      { title: 'session', value: ({ session_id }) => session_id },
      { title: 'status', value: ({ status }) => status },
      { title: 'last event', value: ({ last_event_at }) => (last_event_at === null ? '-' : utcTime(last_event_at * 1_000)) },
      number('actions', ({ total_actions }) => total_actions),
      number('ok', ({ success_count }) => success_count),
      number('failed', ({ failed_count }) => failed_count),
      number('unknown', ({ timeout_or_unknown_count }) => timeout_or_unknown_count),
      number('warnings', ({ warning_count }) => warning_count),
      { title: 'took', value: ({ total_duration_ms }) => duration(total_duration_ms), align: 'right' },
    ],
    style,
  );
}

/** `wc audit session`: the head, then its calls, the newest first. */
export function renderAuditSession(session: AuditSession, events: readonly AuditEvent[], style: Style): string {
  const facts = factLines(
    [
      ['session', session.session_id],
      ['title', session.title],
      ['note', session.note],
      ['status', session.closed_at === null ? session.status : `closed ${utcTime(session.closed_at * 1_000)}`],
      ['created', utcTime(session.created_at * 1_000)],
      ['actions', `${session.total_actions}: ${session.success_count} ok, ${session.failed_count} failed, ${session.timeout_or_unknown_count} unknown`],
      ['files', counted(session.changed_files_count, 'changed file')],
    ],
    style,
  );
  if (events.length === 0) return `${facts}\n\nNo calls match.`;
  const table = textTable(
    events,
    [
      { title: 'time', value: ({ started_at }) => utcTime(started_at * 1_000) },
      { title: 'tool', value: ({ operation, action_name }) => operation ?? action_name },
      { title: 'status', value: ({ status }) => status, paint: (text, { status }) => (status === 'success' ? text : style.bad(text)) },
      { title: 'took', value: ({ duration_ms }) => duration(duration_ms), align: 'right' },
      { title: 'result', value: (event) => sizeText(resultBytes(event)), align: 'right' },
      { title: 'error', value: ({ summary, error_summary }) => summary.model_ergonomics?.error_kind ?? error_summary ?? '' },
    ],
    style,
  );
  return `${facts}\n\n${table}`;
}

/** `wc audit stats`: a line a tool, the most called first, and the totals below. */
export function renderAuditStatistics({ totals, tools, coverage }: AuditStatistics, style: Style): string {
  if (coverage.events === 0) return 'No calls match.';
  const rows = [...tools, ...(tools.length > 1 ? [{ ...totals, tool: 'all' }] : [])];
  const table = textTable(
    rows,
    [
      { title: 'tool', value: ({ tool }) => tool },
      { title: 'calls', value: ({ calls }) => String(calls), align: 'right' },
      { title: 'ok', value: ({ success, calls }) => `${Math.floor((100 * success) / calls)}%`, align: 'right' },
      { title: 'unknown', value: ({ unknown }) => String(unknown), align: 'right' },
      { title: 'p50', value: ({ duration_ms }) => spanText(duration_ms.p50), align: 'right' },
      { title: 'p95', value: ({ duration_ms }) => spanText(duration_ms.p95), align: 'right' },
      { title: 'bytes p50', value: ({ result_bytes }) => sizeText(result_bytes.p50), align: 'right' },
      { title: 'bytes p95', value: ({ result_bytes }) => sizeText(result_bytes.p95), align: 'right' },
      { title: 'errors', value: ({ error_kinds }) => kindsText(error_kinds) },
    ],
    style,
  );
  const from = coverage.first_started_at === null ? '' : `, ${utcTime(coverage.first_started_at * 1_000)} to ${utcTime((coverage.last_started_at ?? 0) * 1_000)}`;
  const unmeasured = totals.unmeasured === 0 ? '' : `, ${totals.unmeasured} of these not measured`;
  return `${table}\n${style.dim(`${counted(coverage.events, 'call')}${from}${unmeasured}`)}`;
}

function resultBytes({ summary, response_bytes: bytes }: AuditEvent): number | null {
  return summary.model_ergonomics?.serialized_result_bytes ?? bytes;
}

function spanText(milliseconds: number | null): string {
  return milliseconds === null ? '-' : duration(milliseconds);
}

function sizeText(bytes: number | null): string {
  return bytes === null ? '-' : byteSize(bytes);
}

function kindsText(kinds: Readonly<Record<string, number>>): string {
  return Object.entries(kinds)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ');
}
