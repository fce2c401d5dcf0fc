import { z } from 'zod';
import type { SessionId } from '../../../protocol/ids.js';
import { success, type ToolResult } from '../../../protocol/tool-result.js';
import { sessionOf } from '../../kernel/call-context.js';
import { defineTool, sessionSelector, type Tool } from '../../kernel/tool.js';
import { storageRefusal } from '../../sessions/index.js';
import { resolveMessage } from '../close-message.js';
import { messageView } from '../message-view.js';
import { sessionGone } from '../refusals.js';
import type { BoardParts } from './post-session-message.js';
import { CHANGING_BOARD, messageIdInput, messageOutput } from './shapes.js';

/** `resolve_session_message`: says that a message was dealt with; it is never opened again. */
export function resolveSessionMessage(parts: BoardParts): Tool {
  return defineTool(
    {
      ...CHANGING_BOARD,
      name: 'resolve_session_message',
      title: 'Resolve a message',
      summary: 'Say that a message of the board was dealt with; it is never opened again.',
      recorded_inputs: ['message_id'],
      cli: { positionals: ['message_id'] },
      input: z.strictObject({
        session_id: sessionSelector,
        message_id: messageIdInput,
        resolution: z.string().optional().meta({ description: 'What became of it: up to 8,000 characters' }),
      }),
      output: z.looseObject({
        session_id: z.string(),
        message_id: z.string(),
        state_changed: z.boolean(),
        message: messageOutput,
      }),
    },
    async (input, call) => {
      const result = await resolve(parts, sessionOf(call).sessionId, input.message_id, input.resolution);
      return { result, facts: { effect: { stateChanged: result.output['state_changed'] === true } } };
    },
  );
}

async function resolve(
  parts: BoardParts,
  sessionId: SessionId,
  messageId: string,
  resolution: string | undefined,
): Promise<ToolResult> {
  try {
    const outcome = await parts.ledger.mutate(sessionId, (board, session) =>
      resolveMessage(parts, { messageId, resolution }, board, session),
    );
    if (outcome === null) return sessionGone();
    const closed = 'changed' in outcome ? outcome.changed : outcome.unchanged;
    if ('failure' in closed) return closed.failure;
    return success({
      session_id: sessionId,
      message_id: closed.message.message_id,
      state_changed: !closed.replayed,
      message: messageView(closed.message),
    });
  } catch (error) {
    return storageRefusal(error, 'the message was not resolved');
  }
}
