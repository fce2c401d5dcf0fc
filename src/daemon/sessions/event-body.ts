import type { SessionId } from '../../protocol/ids.js';
import { eventRow, type SessionEvent } from './event-row.js';
import { UnreadableRowError } from './session-head.js';

/** What an event says by not saying it: left out on disk, put back when it is read. */
const UNSAID = {
  read_like: false,
  write_like: false,
  shell_like: false,
  git_like: false,
  change_summary_like: false,
  changed_paths: [],
  project: null,
  resolved_project: null,
  started_at: null,
  finished_at: null,
  duration_ms: null,
  status: null,
  exit_code: null,
  failure_kind: null,
  error_kind: null,
  error_message_summary: null,
  job_id: null,
  input_summary: null,
} as const;

/**
 * The event as it stands on disk: JSON in the order of the schema, without its Session's
 * id, which the row's key says, and without what `UNSAID` says.
 *
 * @throws when the event is not of the closed shape; it is then not stored
 */
export function encodeEvent(event: SessionEvent): string {
  const said = Object.entries(eventRow.parse(event)).filter(([name, value]) => name !== 'session_id' && !isUnsaid(name, value));
  return JSON.stringify(Object.fromEntries(said));
}

/** @throws UnreadableRowError when `body` is not what this program writes */
export function decodeEvent(sessionId: SessionId, body: string): SessionEvent {
  try {
    return eventRow.parse({ session_id: sessionId, ...UNSAID, ...(JSON.parse(body) as object) });
  } catch (error) {
    throw new UnreadableRowError(`event of ${sessionId}`, error);
  }
}

function isUnsaid(name: string, value: unknown): boolean {
  if (!Object.hasOwn(UNSAID, name)) return false;
  return Array.isArray(value) ? value.length === 0 : value === null || value === false;
}
