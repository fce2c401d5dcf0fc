import type { SessionId } from '../../protocol/ids.js';
import { failure, type Failure } from '../../protocol/tool-result.js';

/*
 * How this domain says no, each in one place. `unknown_session_id` is told alike for an
 * id that was never issued and for one that somebody else's tombstone holds.
 */

/** No live Session and no tombstone of the caller. */
export function unknownSession(): Failure {
  return failure('unknown_session_id', 'there is no such Workflow Session; list_sessions shows yours');
}

/** Malformed, never issued, foreign, of another incarnation, aged out: all of them look alike. */
export function unknownRef(): Failure {
  return failure('unknown_session_ref', 'you have no Session of that short form; list_sessions shows yours');
}

/** What the owner of a removed Session is told; the call ends with it. */
export function retentionExpired(sessionId: SessionId): Failure {
  return failure('session_retention_expired', 'that Session was closed and has left the bounded history; start a new one', {
    session_id: sessionId,
    state_changed: false,
  });
}

/** A mutation or a resume of a Closed Session. */
export function sessionClosed(sessionId: SessionId): Failure {
  return failure('session_closed', 'that Session is closed; start a new one with work_on_project', {
    session_id: sessionId,
    state_changed: false,
  });
}

/** A resume that would make a `read_only` Session writable, without `project:write`. */
export function upgradeDenied(sessionId: SessionId): Failure {
  return failure(
    'session_capability_upgrade_denied',
    'that Session is read-only, and making it writable needs the scope project:write',
    { session_id: sessionId, missing_scope: 'project:write', state_changed: false },
  );
}

/** Every random id met one that is taken; nothing was created. */
export function idsExhausted(): Failure {
  return failure('session_id_allocation_exhausted', 'no free Session id was found; try again', { state_changed: false });
}

/** Nothing is created while a ledger is imported: its ids are not known yet. */
export function importInProgress(): Failure {
  return failure('ledger_import_in_progress', 'a ledger is being imported; try again when that is over', {
    state_changed: false,
  });
}
