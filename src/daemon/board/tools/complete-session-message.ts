import { z } from 'zod';
import type { SessionId } from '../../../protocol/ids.js';
import { success, type ToolResult } from '../../../protocol/tool-result.js';
import { sessionOf } from '../../kernel/call-context.js';
import { defineTool, sessionSelector, type Tool } from '../../kernel/tool.js';
import { storageRefusal } from '../../sessions/index.js';
import { CommitFailedError } from '../../storage/commit-queue.js';
import { completeTodo, type GivenCompletion } from '../complete-todo.js';
import { messageView } from '../message-view.js';
import { completionUncertain, sessionGone } from '../refusals.js';
import type { BoardParts } from './post-session-message.js';
import { CHANGING_BOARD, messageIdInput, messageOutput, priorityInput, tagsInput } from './shapes.js';

/** `complete_session_message`: answers a todo, once, against the very assignment that was read. */
export function completeSessionMessage(parts: BoardParts): Tool {
  return defineTool(
    {
      ...CHANGING_BOARD,
      name: 'complete_session_message',
      title: 'Complete a todo',
      summary: 'Answer a todo and resolve it in one step, against the assignment fence that you read.',
      description: 'The completion_key makes a repeat safe: the same completion again gives the same answer.',
      idempotency: 'fenced_replay',
      recorded_inputs: ['message_id', 'priority'],
      cli: { positionals: ['message_id', 'answer'] },
      input: z.strictObject({
        session_id: sessionSelector,
        message_id: messageIdInput,
        answer: z.string().meta({ description: 'The answer: 1 to 8,000 characters' }),
        completion_key: z.string().meta({ description: 'A key of your own, 1 to 128 characters, for this completion' }),
        expected_assignment_fence: z.string().meta({ description: 'The assignment_fence of get_session_assignment' }),
        tags: tagsInput,
        priority: priorityInput,
      }),
      output: z.looseObject({
        session_id: z.string(),
        message_id: z.string(),
        answer_message_id: z.string(),
        completion_id: z.string(),
        replayed: z.boolean(),
        state_changed: z.boolean(),
        todo: messageOutput,
        answer: messageOutput,
      }),
    },
    async (input, call) => {
      const result = await complete(parts, sessionOf(call).sessionId, {
        messageId: input.message_id,
        answer: input.answer,
        completionKey: input.completion_key,
        expectedFence: input.expected_assignment_fence,
        tags: input.tags,
        priority: input.priority,
        author: call.recorder,
      });
      return { result, facts: { effect: { stateChanged: result.output['state_changed'] === true } } };
    },
  );
}

async function complete(parts: BoardParts, sessionId: SessionId, given: GivenCompletion): Promise<ToolResult> {
  try {
    const outcome = await parts.ledger.mutate(sessionId, (board, session) => completeTodo(parts, given, board, session));
    if (outcome === null) return sessionGone();
    const completed = 'changed' in outcome ? outcome.changed : outcome.unchanged;
    if ('failure' in completed) return completed.failure;
    return success({
      session_id: sessionId,
      message_id: completed.todo.message_id,
      answer_message_id: completed.answer.message_id,
      completion_id: completed.completionId,
      replayed: completed.replayed,
      state_changed: !completed.replayed,
      todo: messageView(completed.todo),
      answer: messageView(completed.answer),
    });
  } catch (error) {
    if (error instanceof CommitFailedError) return completionUncertain(error.message);
    return storageRefusal(error, 'the todo was not completed');
  }
}
