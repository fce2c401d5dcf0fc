/** A row of `action_sessions`, which is also its view: all seventeen columns (spec 05 §4). */
export interface ActionSessionRecord {
  readonly session_id: string;
  readonly title: string | null;
  readonly note: string | null;
  readonly status: 'open' | 'closed';
  readonly created_at: number;
  readonly updated_at: number;
  readonly closed_at: number | null;
  readonly first_event_at: number | null;
  readonly last_event_at: number | null;
  readonly total_actions: number;
  readonly success_count: number;
  readonly failed_count: number;
  readonly timeout_or_unknown_count: number;
  readonly warning_count: number;
  readonly total_duration_ms: number;
  readonly changed_files_count: number;
  readonly job_ids_count: number;
}

const COLUMNS: Readonly<Record<keyof ActionSessionRecord, true>> = {
  session_id: true,
  title: true,
  note: true,
  status: true,
  created_at: true,
  updated_at: true,
  closed_at: true,
  first_event_at: true,
  last_event_at: true,
  total_actions: true,
  success_count: true,
  failed_count: true,
  timeout_or_unknown_count: true,
  warning_count: true,
  total_duration_ms: true,
  changed_files_count: true,
  job_ids_count: true,
};

/** The columns as a SELECT lists them. */
export const ACTION_SESSION_COLUMNS = Object.keys(COLUMNS).join(', ');

/** When a session was last used. */
export const LAST_USE = 'COALESCE(last_event_at, created_at)';

/** The order of sessions by their last use. */
export const LAST_USED_FIRST = `${LAST_USE} DESC, updated_at DESC, rowid DESC`;
