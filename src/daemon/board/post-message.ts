import type { MessageId } from '../../protocol/ids.js';
import type { Failure } from '../../protocol/tool-result.js';
import type { SessionView } from '../kernel/ports.js';
import type { BoardChange, SessionBoard, SessionMessage } from '../sessions/index.js';
import { deliveryScope, payloadFingerprint } from './delivery.js';
import { evict } from './eviction.js';
import { keyText, messageFields, type GivenMessage } from './message-fields.js';
import { deliveryConflict, invalidMessage, sessionClosed, unknownMessage } from './refusals.js';

/** A post as it was asked for. */
export interface GivenPost extends GivenMessage {
  readonly replyTo?: string | undefined;
  readonly requiresAck?: boolean | undefined;
  readonly deliveryKey?: string | undefined;
}

export interface PostParts {
  /** Unix seconds. */
  readonly now: () => number;
  readonly newMessageId: () => MessageId;
  /** How many messages a Session retains. */
  readonly messagesPerSession: number;
}

/** A post that is on the board, now or since an earlier call with the same key. */
export type Posted = { readonly message: SessionMessage; readonly replayed: boolean };

/**
 * Posts a message, inside a commit (spec 02 §A3): Active, input, what it replies to, an
 * earlier delivery of its key, and only then it is appended.
 */
export function postMessage(
  parts: PostParts,
  given: GivenPost,
  board: SessionBoard,
  session: SessionView,
): BoardChange<Posted | { readonly failure: Failure }> {
  if (session.lifecycle === 'closed') return refused(sessionClosed(session.sessionId));
  const fields = messageFields(given, invalidMessage);
  if ('failure' in fields) return refused(fields.failure);
  const key = given.deliveryKey === undefined ? undefined : keyText(given.deliveryKey);
  if (key === null) return refused(invalidMessage('delivery_key', 'has not 1 to 128 characters'));
  const replyTo = given.replyTo ?? null;
  if (replyTo !== null && !board.has(replyTo)) return refused(unknownMessage());

  const requiresAck = given.requiresAck === true;
  const delivery =
    key === undefined
      ? null
      : { scope: deliveryScope(session.sessionId, key), fingerprint: payloadFingerprint(fields, { replyTo, requiresAck }) };
  const earlier = delivery === null ? null : board.delivery(delivery.scope);
  if (earlier !== null && delivery !== null) {
    const message = board.message(earlier.messageId)?.message;
    if (message === undefined || earlier.payloadFingerprint !== delivery.fingerprint) return refused(deliveryConflict());
    return { unchanged: { message, replayed: true } };
  }

  const message: SessionMessage = {
    message_id: freeId(board, parts.newMessageId),
    session_id: session.sessionId,
    created_at: parts.now(),
    kind: fields.kind,
    status: 'open',
    priority: fields.priority,
    message: fields.message,
    tags: [...fields.tags],
    reply_to: replyTo,
    resolved_at: null,
    resolution: null,
    ...(requiresAck ? { requires_ack: true as const } : {}),
  };
  board.append(message);
  if (delivery !== null) {
    board.insertDelivery(delivery.scope, {
      payloadFingerprint: delivery.fingerprint,
      messageId: message.message_id as MessageId,
    });
  }
  evict(board, parts.messagesPerSession);
  return { changed: { message, replayed: false } };
}

/** An id that no retained message has. */
export function freeId(board: Pick<SessionBoard, 'has'>, newMessageId: () => MessageId): MessageId {
  let id = newMessageId();
  while (board.has(id)) id = newMessageId();
  return id;
}

function refused(failure: Failure): { readonly unchanged: { readonly failure: Failure } } {
  return { unchanged: { failure } };
}
