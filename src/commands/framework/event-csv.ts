/** The members of an event's view, in the order of the CSV's columns. */
const COLUMNS = [
  'event_id',
  'session_id',
  'started_at',
  'ended_at',
  'duration_ms',
  'endpoint',
  'operation',
  'action_name',
  'project',
  'status',
  'http_status',
  'error_summary',
  'warning_summary',
  'changed_files',
  'ids',
  'summary',
  'request_bytes',
  'response_bytes',
] as const;

const LINE_END = '\r\n';
/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** The head of the CSV (RFC 4180). */
export const CSV_HEAD = COLUMNS.join(',') + LINE_END;

/**
 * One event as a line of CSV (RFC 4180): lists and objects as compact JSON, null as an empty
 * cell. A text that a spreadsheet would run as a formula gets an apostrophe in front.
 */
export function csvLine(event: Readonly<Record<string, unknown>>): string {
  return COLUMNS.map((column) => cell(event[column])).join(',') + LINE_END;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
