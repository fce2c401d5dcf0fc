import { z } from 'zod';
import type { SessionId } from '../../../protocol/ids.js';
import { success, type ToolResult } from '../../../protocol/tool-result.js';
import { sessionOf } from '../../kernel/call-context.js';
import { defineTool, sessionSelector, type Tool } from '../../kernel/tool.js';
import { storageRefusal } from '../../sessions/index.js';
import { CommitFailedError } from '../../storage/commit-queue.js';
import type { BoardLedger } from '../board-ledger.js';
import { messageView } from '../message-view.js';
import { postMessage, type GivenPost, type PostParts } from '../post-message.js';
import { deliveryUncertain, sessionGone } from '../refusals.js';
import {
  bodyInput,
  CHANGING_BOARD,
  deliveryKeyInput,
  kindInput,
  messageIdInput,
  messageOutput,
  priorityInput,
  requiresAckInput,
  tagsInput,
} from './shapes.js';

export interface BoardParts extends PostParts {
  readonly ledger: BoardLedger;
}

/** `post_session_message`: a message for whoever else works in a Session. */
export function postSessionMessage(parts: BoardParts): Tool {
  return defineTool(
    {
      ...CHANGING_BOARD,
      name: 'post_session_message',
      title: 'Post a message',
      summary: "Post a message on a Session's board, for everybody who works in it.",
      description: 'With a delivery_key the same post can be sent again without doubt: it is one message.',
      recorded_inputs: ['kind', 'priority', 'reply_to', 'requires_ack'],
      cli: { positionals: ['message'] },
      input: z.strictObject({
        session_id: sessionSelector,
        kind: kindInput,
        message: bodyInput,
        tags: tagsInput,
        reply_to: messageIdInput.optional(),
        priority: priorityInput,
        requires_ack: requiresAckInput,
        delivery_key: deliveryKeyInput,
      }),
      output: z.looseObject({
        session_id: z.string(),
        message_id: z.string(),
        replayed: z.boolean(),
        state_changed: z.boolean(),
        message: messageOutput,
      }),
    },
    async (input, call) => {
      const { sessionId } = sessionOf(call);
      const result = await post(parts, sessionId, {
        kind: input.kind,
        message: input.message,
        tags: input.tags,
        priority: input.priority,
        replyTo: input.reply_to,
        requiresAck: input.requires_ack,
        deliveryKey: input.delivery_key,
      });
      return { result, facts: { effect: { stateChanged: result.output['state_changed'] === true } } };
    },
  );
}

async function post(parts: BoardParts, sessionId: SessionId, given: GivenPost): Promise<ToolResult> {
  try {
    const outcome = await parts.ledger.mutate(sessionId, (board, session) => postMessage(parts, given, board, session));
    if (outcome === null) return sessionGone();
    const posted = 'changed' in outcome ? outcome.changed : outcome.unchanged;
    if ('failure' in posted) return posted.failure;
    return success({
      session_id: sessionId,
      message_id: posted.message.message_id,
      replayed: posted.replayed,
      state_changed: !posted.replayed,
      message: messageView(posted.message),
    });
  } catch (error) {
    if (error instanceof CommitFailedError && given.deliveryKey !== undefined) return deliveryUncertain(error.message);
    return storageRefusal(error, 'the message was not posted');
  }
}
