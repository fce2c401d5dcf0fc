import type { SessionId } from '../../protocol/ids.js';
import { failure, type Failure, type FailureDetail } from '../../protocol/tool-result.js';

/*
 * How the board says no, each in one place. No refusal quotes a body, a key, a token or a
 * fence.
 */

/** The Session was removed while the call was on its way. */
export function sessionGone(): Failure {
  return failure('unknown_session_id', 'there is no such Workflow Session; list_sessions shows yours', {
    state_changed: false,
  });
}

export function sessionClosed(sessionId: SessionId): Failure {
  return failure('session_closed', 'that Session is closed; its messages stay as they are', {
    session_id: sessionId,
    state_changed: false,
  });
}

/** A message, tag, key or answer breaks its bound or its form. */
export function invalidMessage(field: string, problem: string, detail: FailureDetail = {}): Failure {
  return failure('invalid_session_message', `${field} ${problem}`, { field, ...detail, state_changed: false });
}

/** Never posted here, or evicted: the two look alike. */
export function unknownMessage(): Failure {
  return failure('unknown_message_id', 'that Session holds no such message', { state_changed: false });
}

export function messageNotOpen(): Failure {
  return failure('session_message_not_open', 'that message is not open any more', { state_changed: false });
}

export function notATodo(): Failure {
  return failure('session_message_not_todo', 'only a todo can be assigned and completed', { state_changed: false });
}

export function deliveryConflict(): Failure {
  return failure('delivery_key_conflict', 'that delivery_key has already delivered another message; use a new key', {
    failure_kind: 'conflict',
    state_changed: false,
  });
}

/** The barrier behind a keyed success failed: the same key tells later what became of it. */
export function deliveryUncertain(cause: string): Failure {
  return failure('message_delivery_persistence_uncertain', `${cause}; send the same message with the same delivery_key again`, {
    failure_kind: 'outcome_unknown',
    state_changed: true,
    retry_same_delivery: true,
  });
}

export function completionUncertain(cause: string): Failure {
  return failure('completion_persistence_uncertain', `${cause}; send the same completion with the same completion_key again`, {
    failure_kind: 'outcome_unknown',
    state_changed: true,
    retry_same_completion: true,
  });
}

/** The one answer to every token that is not ours, not this Session's, or from the future. */
export function invalidToken(): Failure {
  return failure(
    'invalid_session_message_observation_token',
    'that observation token is none of this Session; observe without a token for a new baseline',
    { failure_kind: 'invalid_arguments', state_changed: false },
  );
}

/** The ledger cannot say what the board's cursor is now. */
export function invalidState({ error }: Failure): Failure {
  return failure('invalid_message_observation_state', error, { state_changed: false });
}

export function invalidObservation(problem: string): Failure {
  return failure('invalid_session_message_observation_request', problem, {
    failure_kind: 'invalid_arguments',
    state_changed: false,
  });
}
