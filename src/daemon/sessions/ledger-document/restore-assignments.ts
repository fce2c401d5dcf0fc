import type { MessageId } from '../../../protocol/ids.js';
import type { LedgerBoard } from '../ledger-rows.js';
import type { SessionMessage } from '../message-row.js';
import { INVALID_COMPLETION_ID } from './restore-messages.js';
import type { RestoreNote } from './restore-notes.js';
import type { SessionRowShape } from './session-row.js';

const FINGERPRINT = /^[0-9a-f]{64}$/;

type Assignments = Pick<
  LedgerBoard,
  'assignmentHistoryFloors' | 'assignmentHistoryTrackingComplete' | 'completionFences' | 'completionFenceTrackingComplete'
>;

/**
 * What a board remembers of its todos (spec 01 §4): whether one lost replies, and under
 * which fence a completed one was completed. Entries that nothing retained backs are left
 * out, and then, or when a message was lost, the tracking is not complete any more. Nothing
 * that is missing is made up.
 */
export function restoreAssignments(
  messages: readonly SessionMessage[],
  messagesLost: boolean,
  row: SessionRowShape,
): Assignments & { readonly notes: readonly RestoreNote[] } {
  const notes: RestoreNote[] = [];
  const todos = new Map(messages.filter(({ kind }) => kind === 'todo').map((todo) => [todo.message_id, todo]));

  const floors = new Map<MessageId, number>();
  let floorsContradict = false;
  for (const [id, floor] of Object.entries(row.assignment_history_floors)) {
    if (todos.has(id) && floor <= row.message_observation_revision) floors.set(id as MessageId, floor);
    else floorsContradict = true;
  }

  const fences = new Map<MessageId, string>();
  let fencesContradict = false;
  for (const [id, fence] of Object.entries(row.completion_assignment_fence_fingerprints)) {
    const todo = todos.get(id);
    if (todo !== undefined && isCompleted(todo) && FINGERPRINT.test(fence)) fences.set(id as MessageId, fence);
    else fencesContradict = true;
  }
  const completed = [...todos.values()].filter(isCompleted);
  if (row.completion_assignment_fence_tracking_complete) {
    fencesContradict ||= completed.some(({ message_id }) => !fences.has(message_id as MessageId));
  }

  if (floorsContradict) notes.push({ reason: 'contradictory_assignment_history', at: 'assignment_history_floors' });
  if (fencesContradict) {
    notes.push({ reason: 'contradictory_completion_fences', at: 'completion_assignment_fence_fingerprints' });
  }
  if (messagesLost) notes.push({ reason: 'message_lost', at: 'messages' });
  return {
    assignmentHistoryFloors: floors,
    assignmentHistoryTrackingComplete: row.assignment_history_tracking_complete && !floorsContradict && !messagesLost,
    completionFences: fences,
    completionFenceTrackingComplete:
      row.completion_assignment_fence_tracking_complete && !fencesContradict && !messagesLost,
    notes,
  };
}

/** A completion id that proves nothing says all the same that there was a completion. */
function isCompleted({ status, completion_id: completionId }: SessionMessage): boolean {
  return status === 'resolved' && completionId !== undefined && completionId !== INVALID_COMPLETION_ID;
}
