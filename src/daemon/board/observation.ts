import type { SessionView } from '../kernel/ports.js';
import type { SessionBoard, SessionMessage } from '../sessions/index.js';
import { messageObservationToken, observedRevision } from './observation-token.js';

/** What one look at a board shows from a cursor on. */
export interface MessageObservation {
  readonly messages: readonly SessionMessage[];
  /** Whether the board's revision is beyond the cursor, with or without a message that shows it. */
  readonly changed: boolean;
  /** Whether a message that changed after the cursor was removed. */
  readonly historyLost: boolean;
  readonly hasMore: boolean;
  readonly token: string;
}

/**
 * One look (spec 02 §A4): the current state of what changed, in the order of the changes.
 * What is gone is known by the floor alone, never from a message's place in the list.
 *
 * @param token the cursor; undefined for a new baseline
 * @returns null for a token that is none of this Session, or from its future
 */
export function observeBoard(
  board: SessionBoard,
  session: SessionView,
  token: string | undefined,
  limit: number,
): MessageObservation | null {
  const { revision, floor } = board.state();
  if (token === undefined) {
    const baseline = messageObservationToken(session, revision);
    return { messages: [], changed: false, historyLost: false, hasMore: false, token: baseline };
  }
  const cursor = observedRevision(session, token);
  if (cursor === null || cursor > revision) return null;
  const changes = cursor === revision ? [] : board.changedAfter(cursor, limit + 1);
  const shown = changes.slice(0, limit);
  const hasMore = changes.length > shown.length;
  return {
    messages: shown.map(({ message }) => message),
    changed: revision > cursor,
    historyLost: cursor < floor,
    hasMore,
    token: messageObservationToken(session, hasMore ? (shown.at(-1)?.revision ?? revision) : revision),
  };
}
