import type { MessageId } from '../../protocol/ids.js';
import type { SessionBoard } from '../sessions/index.js';

/**
 * Makes room after messages were appended (spec 02 §A3): the oldest go first, and what the
 * running change has just tied together stays, which leaves holes in the order of posting.
 *
 * @param bound how many messages a Session retains
 * @param tied the messages of the running change
 */
export function evict(board: SessionBoard, bound: number, tied: ReadonlySet<MessageId> = new Set()): void {
  const excess = board.count() - bound;
  if (excess <= 0) return;
  const victims = board
    .oldest(excess + tied.size)
    .filter(({ messageId }) => !tied.has(messageId))
    .slice(0, excess);
  for (const victim of victims) board.remove(victim);
}
