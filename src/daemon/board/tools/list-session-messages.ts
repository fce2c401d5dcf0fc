import { z } from 'zod';
import { success, type Failure } from '../../../protocol/tool-result.js';
import { sessionOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, sessionSelector, type Tool } from '../../kernel/tool.js';
import { MESSAGE_KINDS, storageRefusal } from '../../sessions/index.js';
import type { BoardLedger } from '../board-ledger.js';
import { MESSAGES_SHOWN_DEFAULT, MESSAGES_SHOWN_MAX } from '../limits.js';
import { messageView } from '../message-view.js';
import { invalidMessage, sessionGone } from '../refusals.js';
import { kindInput, messageIdInput, messageOutput, READING_BOARD } from './shapes.js';

const STATUSES = ['open', 'resolved'];

/** `list_session_messages`: the retained messages of a Session, newest first. */
export function listSessionMessages({ ledger }: { readonly ledger: BoardLedger }): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      ...READING_BOARD,
      name: 'list_session_messages',
      title: 'List messages',
      summary: "The messages of a Session's board, newest first; filters narrow it together.",
      recorded_inputs: ['kind', 'status', 'message_id', 'reply_to', 'limit'],
      input: z.strictObject({
        session_id: sessionSelector,
        kind: kindInput.optional(),
        status: z.string().optional().meta({ enum: STATUSES, description: 'Whether it is dealt with' }),
        message_id: messageIdInput.optional(),
        reply_to: messageIdInput.optional(),
        limit: clamped(1, MESSAGES_SHOWN_MAX, MESSAGES_SHOWN_DEFAULT),
      }),
      output: z.looseObject({
        session_id: z.string(),
        messages: z.array(messageOutput),
        returned: z.int(),
        matched: z.int(),
        has_more: z.boolean(),
      }),
    },
    (input, call) => {
      const { sessionId } = sessionOf(call);
      const wrong = filterOfNothing(input);
      if (wrong !== null) return { result: wrong };
      const filter = {
        ...(input.kind === undefined ? {} : { kind: input.kind }),
        ...(input.status === undefined ? {} : { status: input.status }),
        ...(input.message_id === undefined ? {} : { messageId: input.message_id }),
        ...(input.reply_to === undefined ? {} : { replyTo: input.reply_to }),
      };
      try {
        const found = ledger.read(sessionId, (board) => board.newest(filter, input.limit));
        if (found === null) return { result: sessionGone() };
        const messages = found.messages.map(({ message }) => messageView(message));
        return {
          result: success({
            session_id: sessionId,
            messages,
            returned: messages.length,
            matched: found.matched,
            has_more: found.matched > messages.length,
          }),
        };
      } catch (error) {
        return { result: storageRefusal(error, 'the messages could not be read') };
      }
    },
  );
}

/** Why a filter is none: a misspelt one must not read as an empty board. */
function filterOfNothing({ kind, status }: { readonly kind?: string | undefined; readonly status?: string | undefined }): Failure | null {
  if (kind !== undefined && !(MESSAGE_KINDS as readonly string[]).includes(kind)) return invalidMessage('kind', `is none of ${MESSAGE_KINDS.join(', ')}`);
  return status === undefined || STATUSES.includes(status) ? null : invalidMessage('status', `is none of ${STATUSES.join(', ')}`);
}
