import type { ErrorKind } from '../../protocol/error-kinds.js';
import { failure, type Failure } from '../../protocol/tool-result.js';

/** A refusal of the peers' plane, whose kind stands in both places (spec 02 §C5). */
export function peerRefusal(kind: ErrorKind, message: string): Failure {
  return failure(kind, message, { failure_kind: kind, state_changed: false });
}

export function invalidPeerMessage(field: string, problem: string): Failure {
  return failure('invalid_peer_message', `${field} ${problem}`, { failure_kind: 'invalid_peer_message', field, state_changed: false });
}

export function peerDeliveryConflict(): Failure {
  return failure('delivery_key_conflict', 'that delivery_key has already delivered another message; use a new key', {
    failure_kind: 'conflict',
    state_changed: false,
  });
}

export function peerMessageUncertain(cause: string): Failure {
  return failure('peer_message_persistence_uncertain', `${cause}; send the same message with the same delivery_key again`, {
    failure_kind: 'outcome_unknown',
    state_changed: null,
    retry_same_delivery: true,
  });
}
