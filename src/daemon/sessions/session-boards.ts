import type { SessionId } from '../../protocol/ids.js';
import type { SessionView } from '../kernel/ports.js';
import type { Ledger } from './ledger.js';
import type { BoardStatements } from './board-statements.js';
import { SessionBoard } from './session-board.js';
import { viewOf } from './session-head.js';

/** What a change of a board came to. */
export type BoardChange<Value> =
  | { readonly changed: Value }
  /** Nothing was written. */
  | { readonly unchanged: Value };

/** The message boards of all Sessions, for the domain whose rules they follow. */
export interface SessionBoards {
  /**
   * Reads a board as it is committed; null when its Session is not retained. Moves nothing.
   *
   * @throws UnreadableRowError
   */
  read<Value>(sessionId: SessionId, read: (board: SessionBoard, session: SessionView) => Value): Value | null;
  /**
   * Reads and writes a board in one step of a commit, so that nothing comes between a check
   * and its effect. Settles after the commit; null when the Session is not retained. Rejects
   * with CommitFailedError, after which nothing of it is there.
   */
  mutate<Value>(
    sessionId: SessionId,
    decide: (board: SessionBoard, session: SessionView) => BoardChange<Value>,
  ): Promise<BoardChange<Value> | null>;
}

/** Boards over the ledger: a change of one is a change of its Session, and moves its time. */
export function sessionBoards(ledger: Ledger, statements: BoardStatements): SessionBoards {
  return {
    read: (sessionId, read) => {
      ledger.settle();
      const head = ledger.head(sessionId);
      return head === null ? null : read(new SessionBoard(statements, head), viewOf(head));
    },
    mutate: async <Value>(
      sessionId: SessionId,
      decide: (board: SessionBoard, session: SessionView) => BoardChange<Value>,
    ) => {
      let changed: { readonly value: Value } | null = null as { readonly value: Value } | null;
      const outcome = await ledger.mutate<Value>(sessionId, (head) => {
        const change = decide(new SessionBoard(statements, head), viewOf(head));
        if ('unchanged' in change) return { refused: change.unchanged };
        changed = { value: change.changed };
        return { events: [] };
      });
      if ('missing' in outcome) return null;
      if ('refused' in outcome) return { unchanged: outcome.refused };
      if (changed === null) throw new Error('a board changed without saying what to');
      return { changed: changed.value };
    },
  };
}
