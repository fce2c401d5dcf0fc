import type { MessageId } from '../../protocol/ids.js';
import type { Failure } from '../../protocol/tool-result.js';
import type { SessionView } from '../kernel/ports.js';
import { storageRefusal, type BoardChange, type SessionBoard } from '../sessions/index.js';
import type { BoardLedger } from './board-ledger.js';
import { resolveMessage } from './close-message.js';
import { invalidMessage, messageNotOpen, sessionClosed, sessionGone, unknownMessage } from './refusals.js';

/** A resolution that comes with another call. */
export interface ResolutionOnTheWay {
  readonly messageId: string;
  readonly text: string;
  /** What the same request acknowledged. */
  readonly accepted: readonly MessageId[];
}

/**
 * `_wc.resolve` (spec 02 §E3): an open message of the recorder's own board; never a todo,
 * which asks for an answer, and one that asks for an acknowledgement only with it.
 *
 * @returns why not, or null when it is resolved
 */
export async function resolveOnTheWay(
  { ledger, now }: { readonly ledger: BoardLedger; readonly now: () => number },
  session: SessionView,
  resolution: ResolutionOnTheWay,
): Promise<Failure | null> {
  try {
    const outcome = await ledger.mutate(session.sessionId, (board, current) => decide(now, resolution, board, current));
    if (outcome === null) return sessionGone();
    return 'changed' in outcome ? outcome.changed : outcome.unchanged;
  } catch (error) {
    return storageRefusal(error, 'the message was not resolved');
  }
}

function decide(
  now: () => number,
  { messageId, text, accepted }: ResolutionOnTheWay,
  board: SessionBoard,
  session: SessionView,
): BoardChange<Failure | null> {
  if (session.lifecycle === 'closed') return { unchanged: sessionClosed(session.sessionId) };
  const message = board.message(messageId)?.message;
  if (message === undefined) return { unchanged: unknownMessage() };
  if (message.kind === 'todo') {
    return { unchanged: invalidMessage('message_id', 'names a todo, which complete_session_message answers', { reason_code: 'todo_requires_completion' }) };
  }
  if (message.status !== 'open') return { unchanged: messageNotOpen() };
  if (message.requires_ack === true && !(accepted as readonly string[]).includes(messageId)) {
    return { unchanged: invalidMessage('message_id', 'names a message that asks for an ACK; send _wc.ack with it', { reason_code: 'ack_required' }) };
  }
  const resolved = resolveMessage({ now }, { messageId, resolution: text }, board, session);
  if ('changed' in resolved) return { changed: null };
  return 'failure' in resolved.unchanged ? { unchanged: resolved.unchanged.failure } : { unchanged: null };
}
