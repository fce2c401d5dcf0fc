import type { SessionId } from '../../protocol/ids.js';
import { failure, type Failure, type Json } from '../../protocol/tool-result.js';
import type { SessionBoard, SessionMessage } from '../sessions/index.js';
import { digestOf } from './digest.js';
import { ASSIGNMENT_REPLIES_MAX } from './limits.js';
import { messageView } from './message-view.js';
import { messageNotOpen, notATodo, unknownMessage } from './refusals.js';

const FENCE_BYTES = 16;
const FENCE = /^wsa2_[A-Za-z0-9_-]{22}$/;

/** A todo with its direct replies, as one read of the board found them. */
export interface Assignment {
  readonly todo: SessionMessage;
  /** Oldest first, at most 16. */
  readonly replies: readonly SessionMessage[];
  /** How many replies are retained. */
  readonly replyCount: number;
  /** Whether a reply was removed, or the ledger cannot say that none was. */
  readonly historyLost: boolean;
}

/** The assignment as answers show it. */
export type AssignmentView = {
  readonly todo: Json;
  readonly direct_replies: readonly Json[];
  readonly direct_replies_truncated: boolean;
};

/** Whether a text has the form of a fence at all. */
export function isFence(text: string): boolean {
  return FENCE.test(text);
}

/** The assignment of a retained todo. */
export function assignmentOf(board: SessionBoard, todo: SessionMessage): Assignment {
  const { historyFloor } = board.todo(todo.message_id);
  return {
    todo,
    replies: board.replies(todo.message_id, ASSIGNMENT_REPLIES_MAX).map(({ message }) => message),
    replyCount: board.countReplies(todo.message_id),
    historyLost: !board.state().assignmentHistoryComplete || (historyFloor !== null && historyFloor > 0),
  };
}

/**
 * The fence of an assignment (spec 02 §A5): a digest of Session, todo and its whole thread,
 * without when an acknowledgement was first seen. Null where nobody may complete it from
 * what can be seen: closed, too many replies, or replies that are gone.
 */
export function assignmentFence(sessionId: SessionId, assignment: Assignment): string | null {
  const { todo, replies } = assignment;
  if (todo.status !== 'open' || uncompletable(assignment) !== null) return null;
  const content = [sessionId, ...[todo, ...replies].map(fencedContent)];
  return `wsa2_${digestOf('wc.assignment-fence.v2', content).subarray(0, FENCE_BYTES).toString('base64url')}`;
}

/** Why an open assignment has no fence, or null. */
export function uncompletable({ replyCount, historyLost }: Assignment): 'assignment_too_large' | 'assignment_history_lost' | null {
  if (replyCount > ASSIGNMENT_REPLIES_MAX) return 'assignment_too_large';
  return historyLost ? 'assignment_history_lost' : null;
}

export function assignmentView({ todo, replies, replyCount }: Assignment): AssignmentView {
  return {
    todo: messageView(todo),
    direct_replies: replies.map(messageView),
    direct_replies_truncated: replyCount > replies.length,
  };
}

/** An assignment that nobody can complete from what is retained of it, with what there is. */
export function uncompletableAssignment(
  kind: 'assignment_too_large' | 'assignment_history_lost',
  sessionId: SessionId,
  assignment: Assignment,
): Failure {
  const shared = {
    failure_kind: 'conflict',
    state_changed: false,
    session_id: sessionId,
    message_id: assignment.todo.message_id,
    current_assignment: assignmentView(assignment),
  };
  return kind === 'assignment_too_large'
    ? failure(kind, `that todo has ${assignment.replyCount} direct replies, and ${ASSIGNMENT_REPLIES_MAX} at most can be vouched for; post a new todo`, {
        ...shared,
        reply_count: assignment.replyCount,
        max_replies: ASSIGNMENT_REPLIES_MAX,
      })
    : failure(kind, 'a reply to that todo has left the bounded board, so that nobody can vouch for its thread; post a new todo', shared);
}

/** An open todo of a board, or why it is none. */
export function openTodo(board: SessionBoard, messageId: string): SessionMessage | { readonly failure: Failure } {
  const found = board.message(messageId);
  if (found === null) return { failure: unknownMessage() };
  if (found.message.kind !== 'todo') return { failure: notATodo() };
  return found.message.status === 'open' ? found.message : { failure: messageNotOpen() };
}

/** What a fence is about: all that a message says, in the order of its shape, but not who has seen it. */
function fencedContent(message: SessionMessage): unknown {
  const { first_ack_observed_at: _bookkeeping, ...content } = message;
  return Object.entries(content).sort(([one], [other]) => (one < other ? -1 : 1));
}
