import type { MessageId } from '../../protocol/ids.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import { digestOf, messageFields } from '../board/index.js';
import type { WindowOwner } from '../kernel/collaboration-ports.js';
import { CommitFailedError, type CommitQueue } from '../storage/commit-queue.js';
import type { WindowMessageStore } from './message-store.js';
import { invalidPeerMessage } from './refusals.js';

export interface ReplyParts {
  readonly messages: WindowMessageStore;
  readonly commits: CommitQueue;
  readonly newMessageId: () => MessageId;
  /** Unix milliseconds. */
  readonly nowMs: () => number;
}

/**
 * `_wc.reply` (spec 02 §E3): a window's answer to an operator's message that this very window
 * and principal were shown. The same text to the same message again is the same reply.
 */
export async function replyToOperator(
  { messages, commits, newMessageId, nowMs }: ReplyParts,
  owner: WindowOwner | null,
  { replyTo, message: text }: { readonly replyTo: string; readonly message: string },
): Promise<JsonObject> {
  const refused = (kind: string, stateChanged: boolean | null): JsonObject => ({
    success: false,
    reply_to: replyTo,
    state_changed: stateChanged,
    failure_kind: kind,
  });
  if (owner === null) return refused('invalid_context', false);
  const { principalKey } = owner.principal;
  const fields = messageFields({ kind: 'answer', message: text }, invalidPeerMessage);
  const target = messages.message(principalKey, replyTo);
  const shown = target !== null && target.sender === null && target.recipient === owner.window && target.projectionCount > 0;
  if ('failure' in fields || !shown) return refused('invalid_context', false);
  const delivery = digestOf('wc.window-reply.v1', [owner.window, replyTo, fields.message]).toString('hex');
  let answer: { readonly messageId: string; readonly replayed: boolean } | null = null as {
    readonly messageId: string;
    readonly replayed: boolean;
  } | null;
  try {
    await commits.enqueue(() => {
      const earlier = messages.delivered(principalKey, delivery);
      if (earlier !== null) {
        answer = { messageId: earlier.messageId, replayed: true };
        return;
      }
      const messageId = newMessageId();
      const reply = { ...fields, messageId, sender: owner.window, recipient: null, requiresAck: false, replyTo: replyTo as MessageId };
      messages.append(principalKey, { ...reply, createdAtMs: nowMs() }, { delivery, payloadFingerprint: delivery });
      answer = { messageId, replayed: false };
    });
  } catch (error) {
    if (error instanceof CommitFailedError) return refused('outcome_unknown', null);
    throw error;
  }
  if (answer === null) return refused('unavailable', false);
  return { success: true, message_id: answer.messageId, reply_to: replyTo, replayed: answer.replayed, state_changed: !answer.replayed };
}
