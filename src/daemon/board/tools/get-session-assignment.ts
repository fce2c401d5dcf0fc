import { z } from 'zod';
import { success, type ToolResult } from '../../../protocol/tool-result.js';
import { sessionOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import type { SessionView } from '../../kernel/ports.js';
import { defineTool, sessionSelector, type Tool } from '../../kernel/tool.js';
import { storageRefusal, type SessionBoard } from '../../sessions/index.js';
import { assignmentFence, assignmentOf, assignmentView, openTodo, uncompletable, uncompletableAssignment } from '../assignment.js';
import type { BoardLedger } from '../board-ledger.js';
import { sessionGone } from '../refusals.js';
import { messageIdInput, messageOutput, READING_BOARD } from './shapes.js';

/** `get_session_assignment`: an open todo, its thread, and the fence that completes exactly this. */
export function getSessionAssignment({ ledger }: { readonly ledger: BoardLedger }): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      ...READING_BOARD,
      name: 'get_session_assignment',
      title: 'Read an assignment',
      summary: 'An open todo with its direct replies, and the fence that complete_session_message asks for.',
      description: 'The fence stands for exactly this todo and thread: a reply that comes later makes it stale.',
      recorded_inputs: ['message_id'],
      cli: { positionals: ['message_id'] },
      input: z.strictObject({ session_id: sessionSelector, message_id: messageIdInput }),
      output: z.looseObject({
        session_id: z.string(),
        message_id: z.string(),
        todo: messageOutput,
        direct_replies: z.array(messageOutput),
        direct_replies_truncated: z.boolean(),
        assignment_fence: z.string(),
      }),
    },
    ({ message_id: messageId }, call) => {
      const { sessionId } = sessionOf(call);
      try {
        return { result: ledger.read(sessionId, (board, session) => read(board, session, messageId)) ?? sessionGone() };
      } catch (error) {
        return { result: storageRefusal(error, 'the assignment could not be read') };
      }
    },
  );
}

function read(board: SessionBoard, { sessionId }: SessionView, messageId: string): ToolResult {
  const todo = openTodo(board, messageId);
  if ('failure' in todo) return todo.failure;
  const assignment = assignmentOf(board, todo);
  const blocked = uncompletable(assignment);
  if (blocked !== null) return uncompletableAssignment(blocked, sessionId, assignment);
  return success({
    session_id: sessionId,
    message_id: todo.message_id,
    ...assignmentView(assignment),
    assignment_fence: assignmentFence(sessionId, assignment),
  });
}
