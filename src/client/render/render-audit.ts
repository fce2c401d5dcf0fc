import type { Style } from './style.js';
import type { Column } from './text-table.js';
import { factLines, textTable } from './text-table.js';
import { columnsOf } from './columns-of.js';
import { printableLine } from './printable.js';
import { spanBar } from './span-bar.js';
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

/**
 * `wc audit sessions`.
 *
 * @param width of the terminal, which every table of the audit keeps to; null for none
 */
export function renderAuditSessions(sessions: readonly AuditSession[], style: Style, width: number | null): string {
  if (sessions.length === 0) return 'There are no audit sessions.';
  const number = (title: string, value: (session: AuditSession) => number, optional = false): Column<AuditSession> => ({
    title,
    value: (session) => String(value(session)),
    align: 'right',
    optional,
  });
  return textTable(
    sessions,
    [
      { title: 'session', value: ({ session_id }) => session_id, shrinksTo: 36 },
      { title: 'status', value: ({ status }) => status, optional: true },
      {
        title: 'last event',
        value: ({ last_event_at }) => (last_event_at === null ? '-' : utcTime(last_event_at * 1_000)),
        optional: true,
      },
      number('actions', ({ total_actions }) => total_actions),
      number('ok', ({ success_count }) => success_count, true),
      number('failed', ({ failed_count }) => failed_count),
      number('unknown', ({ timeout_or_unknown_count }) => timeout_or_unknown_count, true),
      number('warnings', ({ warning_count }) => warning_count, true),
      { title: 'took', value: ({ total_duration_ms }) => duration(total_duration_ms), align: 'right', optional: true },
    ],
    style,
    width,
  );
}

/** `wc audit session`: the head, then its calls, the newest first. */
export function renderAuditSession(session: AuditSession, events: readonly AuditEvent[], style: Style, width: number | null): string {
  const facts = factLines(
    [
      ['session', session.session_id],
      ['title', session.title],
      ['note', session.note],
      ['status', session.closed_at === null ? session.status : `closed ${utcTime(session.closed_at * 1_000)}`],
      ['created', utcTime(session.created_at * 1_000)],
      ['actions', outcomesText(session)],
      ['files', counted(session.changed_files_count, 'changed file')],
    ],
    style,
  );
  if (events.length === 0) return `${facts}\n\nNo calls match.`;
  const table = textTable(
    events,
    [
      { title: 'time', value: ({ started_at }) => utcTime(started_at * 1_000), optional: true },
      { title: 'tool', value: toolOf, shrinksTo: 20 },
      { title: 'status', value: ({ status }) => status, paint: (text, { status }) => (status === 'success' ? text : style.bad(text)) },
      { title: 'took', value: ({ duration_ms }) => duration(duration_ms), align: 'right' },
      { title: 'result', value: (event) => sizeText(resultBytes(event)), align: 'right', optional: true },
      { title: 'error', value: errorOf, shrinksTo: 12 },
    ],
    style,
    width,
  );
  return `${facts}\n\n${table}`;
}

/** `wc audit tail`: one call on one line, with columns that stay where they are while lines come. */
export function renderAuditLine(event: AuditEvent, style: Style): string {
  const { started_at, status, duration_ms } = event;
  const took = duration(duration_ms).padStart(12);
  const size = sizeText(resultBytes(event)).padStart(10);
  const shown = status === 'success' ? status.padEnd(7) : style.bad(printableLine(status).padEnd(7));
  const error = errorOf(event);
  return `${style.dim(utcTime(started_at * 1_000))}  ${shown}  ${took}  ${size}  ${printableLine(toolOf(event))}${error === '' ? '' : `  ${style.bad(printableLine(error))}`}`;
}

/** `wc audit close`. */
export function renderClosedSession(session: AuditSession, alreadyClosed: boolean, style: Style): string {
  const at = utcTime((session.closed_at ?? 0) * 1_000);
  return `${style.bold(printableLine(session.session_id))} ${alreadyClosed ? `was closed already, at ${at}` : `is closed since ${at}`}; actions ${outcomesText(session)}.`;
}

/** `wc audit stats`: a line a tool, the most called first, and the totals below. */
export function renderAuditStatistics({ totals, tools, coverage }: AuditStatistics, style: Style, width: number | null): string {
  if (coverage.events === 0) return 'No calls match.';
  const rows = [...tools, ...(tools.length > 1 ? [{ ...totals, tool: 'all' }] : [])];
  const slowest = Math.max(...tools.map(({ duration_ms }) => duration_ms.p95 ?? 0));
  const table = textTable(
    rows,
    [
      { title: 'tool', value: ({ tool }) => tool, shrinksTo: 20 },
      { title: 'calls', value: ({ calls }) => String(calls), align: 'right' },
      { title: 'ok', value: ({ success, calls }) => `${Math.floor((100 * success) / calls)}%`, align: 'right' },
      { title: 'unknown', value: ({ unknown }) => String(unknown), align: 'right', optional: true },
      { title: 'p50', value: ({ duration_ms }) => spanText(duration_ms.p50), align: 'right' },
      { title: 'p95', value: ({ duration_ms }) => spanText(duration_ms.p95), align: 'right' },
      { title: 'p50-p95', value: ({ duration_ms }) => spanBar(duration_ms, slowest), optional: true },
      { title: 'bytes p50', value: ({ result_bytes }) => sizeText(result_bytes.p50), align: 'right', optional: true },
      { title: 'bytes p95', value: ({ result_bytes }) => sizeText(result_bytes.p95), align: 'right', optional: true },
      { title: 'errors', value: ({ error_kinds }) => kindsText(error_kinds), shrinksTo: 8 },
    ],
    style,
    width,
  );
  const from = coverage.first_started_at === null ? '' : `, ${utcTime(coverage.first_started_at * 1_000)} to ${utcTime((coverage.last_started_at ?? 0) * 1_000)}`;
  const unmeasured = totals.unmeasured === 0 ? '' : `, ${totals.unmeasured} of these not measured`;
  const said = folded(`${counted(coverage.events, 'call')}${from}${unmeasured}`, width ?? Infinity);
  return `${table}\n${style.dim(said)}${width === null ? '' : errorLines(tools, style, width)}`;
}

/** All error kinds of the tools whose line in the table has no room for them, folded to the terminal. */
function errorLines(tools: AuditStatistics['tools'], style: Style, width: number): string {
  const cut = tools.filter(({ error_kinds }) => Object.keys(error_kinds).length > 1);
  if (cut.length === 0) return '';
  const lines = cut.map(({ tool, error_kinds }) => folded(`${printableLine(tool)}: ${printableLine(kindsText(error_kinds))}`, width));
  return `\n\n${style.dim('ERRORS')}\n${lines.join('\n')}`;
}

/** Words in lines of at most `width` columns; later lines are set in. */
function folded(text: string, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && columnsOf(`${line} ${word}`) > width) {
      lines.push(line);
      line = `  ${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}

function toolOf({ operation, action_name }: AuditEvent): string {
  return operation ?? action_name;
}

function errorOf({ summary, error_summary }: AuditEvent): string {
  return summary.model_ergonomics?.error_kind ?? error_summary ?? '';
}

function outcomesText(session: AuditSession): string {
  return `${session.total_actions}: ${session.success_count} ok, ${session.failed_count} failed, ${session.timeout_or_unknown_count} unknown`;
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
