import type { MessageId, SessionId } from '../../protocol/ids.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import type { SessionView } from '../kernel/ports.js';
import type { BoardChange, SessionBoard, SessionMessage } from '../sessions/index.js';
import { assignmentFence, assignmentOf, assignmentView, isFence, uncompletable, uncompletableAssignment, type Assignment } from './assignment.js';
import { digestOf, sha256Hex } from './digest.js';
import { evict } from './eviction.js';
import { boundedText, isPriority, keyText, messageTags, type Priority } from './message-fields.js';
import { freeId, type PostParts } from './post-message.js';
import { invalidMessage, notATodo, sessionClosed, unknownMessage } from './refusals.js';

/** A completion as it was asked for. */
export interface GivenCompletion {
  readonly messageId: string;
  readonly answer: string;
  readonly completionKey: string;
  readonly expectedFence: string;
  readonly tags?: readonly string[] | undefined;
  readonly priority?: string | undefined;
  /** The authorized recorder of the call, or null: never inferred from anything else. */
  readonly author: SessionId | null;
}

/** A completion that is on the board, now or since an earlier call with the same key. */
export interface Completed {
  readonly todo: SessionMessage;
  readonly answer: SessionMessage;
  readonly completionId: string;
  readonly replayed: boolean;
}

interface Completion {
  readonly answer: string;
  readonly completionId: string;
  readonly fence: string;
  readonly tags: readonly string[];
  readonly priority: Priority;
  readonly author: SessionId | null;
}

/** Completes a todo, inside a commit: the rows of spec 02 §A5 in their order. */
export function completeTodo(
  parts: PostParts,
  given: GivenCompletion,
  board: SessionBoard,
  session: SessionView,
): BoardChange<Completed | { readonly failure: Failure }> {
  const { sessionId } = session;
  if (session.lifecycle === 'closed') return refused(sessionClosed(sessionId)); // 1
  if (!isFence(given.expectedFence)) return refused(invalidFence()); // 2
  const completion = completionOf(given);
  if ('failure' in completion) return refused(completion.failure);
  const found = board.message(given.messageId)?.message;
  if (found === undefined) return refused(unknownMessage()); // 3
  if (found.kind !== 'todo') return refused(notATodo());
  if (found.completion_id !== undefined) return completedBefore(board, found, completion); // 4 to 6
  const assignment = assignmentOf(board, found);
  if (found.status !== 'open') return refused(stale(sessionId, assignment)); // 7
  const blocked = uncompletable(assignment);
  if (blocked !== null) return refused(uncompletableAssignment(blocked, sessionId, assignment)); // 8, 9
  if (assignmentFence(sessionId, assignment) !== completion.fence) return refused(stale(sessionId, assignment)); // 10
  return { changed: answerTodo(parts, board, found, completion) }; // 11
}

function completionOf(given: GivenCompletion): Completion | { readonly failure: Failure } {
  const answer = boundedText(given.answer, 'answer', invalidMessage);
  if (typeof answer !== 'string') return answer;
  const key = keyText(given.completionKey);
  if (key === null) return { failure: invalidMessage('completion_key', 'has not 1 to 128 characters') };
  const tags = messageTags(given.tags, invalidMessage);
  if ('failure' in tags) return tags;
  const priority = given.priority ?? 'normal';
  if (!isPriority(priority)) return { failure: invalidMessage('priority', 'is none of low, normal, high') };
  return { answer, completionId: sha256Hex(key), fence: given.expectedFence, tags: tags.tags, priority, author: given.author };
}

/** The same completion again is an answer, whatever the thread became since; anything else is a conflict. */
function completedBefore(
  board: SessionBoard,
  todo: SessionMessage,
  completion: Completion,
): { readonly unchanged: Completed | { readonly failure: Failure } } {
  const answerId = todo.resolved_by_message_id;
  if (todo.completion_id !== completion.completionId) {
    return refused(
      failure('already_completed', 'that todo was completed before, under another completion_key', {
        message_id: todo.message_id,
        answer_message_id: answerId ?? null,
        completion_id: todo.completion_id ?? null,
        failure_kind: 'conflict',
        state_changed: false,
      }),
    );
  }
  const answer = answerId === undefined ? undefined : board.message(answerId)?.message;
  const fence = board.todo(todo.message_id).completionFence;
  if (answer === undefined || fence !== fenceFingerprint(completion.fence) || !isSameAnswer(answer, completion)) {
    return refused(
      failure('idempotency_conflict', 'that completion_key has already completed this todo with something else', {
        failure_kind: 'conflict',
        state_changed: false,
      }),
    );
  }
  return { unchanged: { todo, answer, completionId: completion.completionId, replayed: true } };
}

function isSameAnswer(answer: SessionMessage, completion: Completion): boolean {
  return (
    answer.message === completion.answer &&
    answer.priority === completion.priority &&
    (answer.author_session_id ?? null) === completion.author &&
    answer.tags.length === completion.tags.length &&
    answer.tags.every((tag, index) => tag === completion.tags[index])
  );
}

/** Two revisions in one commit: the todo, then its answer. */
function answerTodo(parts: PostParts, board: SessionBoard, open: SessionMessage, completion: Completion): Completed {
  const at = parts.now();
  const answerId = freeId(board, parts.newMessageId);
  const todo: SessionMessage = {
    ...open,
    status: 'resolved',
    resolved_at: at,
    resolved_by_message_id: answerId,
    completion_id: completion.completionId,
  };
  board.update(todo);
  board.setCompletionFence(todo.message_id, fenceFingerprint(completion.fence));
  const answer: SessionMessage = {
    message_id: answerId,
    session_id: open.session_id,
    created_at: at,
    kind: 'answer',
    status: 'open',
    priority: completion.priority,
    message: completion.answer,
    tags: [...completion.tags],
    reply_to: open.message_id,
    resolved_at: null,
    resolution: null,
    ...(completion.author === null ? {} : { author_session_id: completion.author }),
  };
  board.append(answer);
  evict(board, parts.messagesPerSession, new Set([open.message_id as MessageId, answerId]));
  return { todo, answer, completionId: completion.completionId, replayed: false };
}

/** What the ledger keeps of a fence: enough to know it again. */
function fenceFingerprint(fence: string): string {
  return digestOf('wc.completion-fence.v1', fence).toString('hex');
}

function stale(sessionId: SessionId, assignment: Assignment): Failure {
  return failure('assignment_stale', 'that assignment is not what its fence was about any more; read current_assignment before you answer', {
    failure_kind: 'conflict',
    state_changed: false,
    session_id: sessionId,
    message_id: assignment.todo.message_id,
    current_assignment: assignmentView(assignment),
    fresh_assignment_fence: assignmentFence(sessionId, assignment),
  });
}

function invalidFence(): Failure {
  return failure('invalid_assignment_fence', 'expected_assignment_fence is no fence; get_session_assignment gives one', {
    failure_kind: 'invalid_arguments',
    state_changed: false,
  });
}

function refused(refusal: Failure): { readonly unchanged: { readonly failure: Failure } } {
  return { unchanged: { failure: refusal } };
}
