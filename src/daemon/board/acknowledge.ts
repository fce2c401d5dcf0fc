import type { AcceptedAck, AckEvidence } from '../kernel/collaboration-ports.js';
import type { SessionView } from '../kernel/ports.js';
import type { SessionBoard } from '../sessions/index.js';
import { CommitFailedError } from '../storage/commit-queue.js';
import { messagesOfAckRef } from './ack-ref.js';
import type { BoardLedger } from './board-ledger.js';

/**
 * Takes a request's acknowledgements of one board (spec 02 §B): ids by name, or the exact set
 * of a ref. Only the first acknowledgement of a message is a change of the board; it says
 * that an echo was once seen, and nothing of who read what. What cannot be stored is not
 * accepted, and stops nothing.
 */
export async function acknowledge(
  { ledger, now }: { readonly ledger: BoardLedger; readonly now: () => number },
  session: SessionView,
  evidence: AckEvidence,
): Promise<AcceptedAck> {
  const nothing = { sessionId: session.sessionId, accepted: [], ignored: evidence.ids.length };
  const seen = ledger.read(session.sessionId, (board, current) => {
    const accepted = current.lifecycle === 'closed' ? [] : acceptable(board, current, evidence);
    return { accepted: accepted.map(({ messageId }) => messageId), fresh: accepted.filter(isFirst).map(({ messageId }) => messageId) };
  });
  if (seen === null) return nothing;
  const { accepted, fresh } = seen;
  const ignored = evidence.ids.filter((id) => !(accepted as readonly string[]).includes(id)).length;
  if (fresh.length === 0) return { sessionId: session.sessionId, accepted, ignored };
  try {
    await ledger.mutate(session.sessionId, (board, current) => {
      const first = current.lifecycle === 'closed' ? [] : board.openAckRequired().filter((one) => isFirst(one) && fresh.includes(one.messageId));
      for (const { messageId } of first) {
        const message = board.message(messageId)?.message;
        if (message !== undefined) board.update({ ...message, first_ack_observed_at: now() });
      }
      return first.length === 0 ? { unchanged: null } : { changed: null };
    });
    return { sessionId: session.sessionId, accepted, ignored };
  } catch (error) {
    if (error instanceof CommitFailedError) return nothing;
    throw error;
  }
}

type Waiting = ReturnType<SessionBoard['openAckRequired']>[number];

function acceptable(board: SessionBoard, session: SessionView, { ids, ref }: AckEvidence): Waiting[] {
  const open = board.openAckRequired();
  const named = new Set<string>(ids);
  const inOrder = open.map(({ messageId }) => messageId);
  if (ref !== null) for (const id of messagesOfAckRef(session, inOrder, ref)) named.add(id);
  return open.filter(({ messageId }) => named.has(messageId));
}

/** Nobody's echo was seen yet. */
function isFirst({ acknowledged }: Waiting): boolean {
  return acknowledged === 0;
}
