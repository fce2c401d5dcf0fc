import type { SessionMessage } from '../message-row.js';
import type { LedgerMessage } from '../ledger-rows.js';
import type { RestoreNote } from './restore-notes.js';
import type { SessionRowShape } from './session-row.js';

/** What a board says of its own history, after a restore. */
export interface RestoredObservation {
  readonly messages: readonly LedgerMessage[];
  readonly revision: number;
  readonly floor: number;
  readonly notes: readonly RestoreNote[];
}

type Observation = Pick<
  SessionRowShape,
  'message_observation_revision' | 'message_observation_floor' | 'message_observation_revisions'
>;

/**
 * The revisions of a board (spec 01 §4, spec 02 §A4). Where they contradict each other or
 * the messages, the messages stay and their history is given up: the floor becomes the
 * current revision and every message's revision 0, so that an older cursor is told that it
 * lost history. A message that the restore itself left out raises the floor to its revision.
 */
export function restoreObservation(
  messages: readonly SessionMessage[],
  lost: ReadonlySet<string>,
  row: Observation,
): RestoredObservation {
  const { message_observation_revision: revision, message_observation_floor: floor } = row;
  const revisions = new Map(Object.entries(row.message_observation_revisions));
  if (!isConsistent(messages, lost, { revision, floor, revisions })) {
    return {
      messages: messages.map((message) => ({ message, revision: 0 })),
      revision,
      floor: revision,
      notes: [{ reason: 'contradictory_observation', at: 'message_observation_revisions' }],
    };
  }
  return {
    messages: messages.map((message) => ({ message, revision: revisions.get(message.message_id) ?? 0 })),
    revision,
    floor: Math.max(floor, ...[...lost].map((id) => revisions.get(id) ?? 0)),
    notes: [],
  };
}

/**
 * Each message has one revision of its own and nothing else has one; none lies beyond the
 * board's, and neither does the floor. 0 says that a revision is not known any more, which
 * only a floor can be the cause of.
 */
function isConsistent(
  messages: readonly SessionMessage[],
  lost: ReadonlySet<string>,
  board: { readonly revision: number; readonly floor: number; readonly revisions: ReadonlyMap<string, number> },
): boolean {
  const { revision, floor, revisions } = board;
  if (floor > revision) return false;
  const known = new Set(messages.map(({ message_id }) => message_id));
  if ([...revisions.keys()].some((id) => !known.has(id) && !lost.has(id))) return false;
  if (!messages.every(({ message_id }) => revisions.has(message_id))) return false;
  const given = [...revisions.values()].filter((value) => value > 0);
  if (given.length < revisions.size && floor === 0 && revision > 0) return false;
  return given.every((value) => value <= revision) && new Set(given).size === given.length;
}
