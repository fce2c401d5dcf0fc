import type { SessionId } from '../../protocol/ids.js';
import type { SessionView } from '../kernel/ports.js';
import type { BoardChange, SessionBoard, SessionBoards } from '../sessions/index.js';

/**
 * The boards with their listeners: whoever waits for a change of a Session's board is woken
 * after the commit that holds one. A wake carries nothing and may come for nothing; what
 * happened is always read from the ledger.
 */
export class BoardLedger {
  private readonly listeners = new Map<SessionId, Set<() => void>>();

  constructor(private readonly boards: SessionBoards) {}

  /** Null when the Session is not retained. */
  read<Value>(sessionId: SessionId, read: (board: SessionBoard, session: SessionView) => Value): Value | null {
    return this.boards.read(sessionId, read);
  }

  /** One change in one commit; null when the Session is not retained. Rejects with CommitFailedError. */
  async mutate<Value>(
    sessionId: SessionId,
    decide: (board: SessionBoard, session: SessionView) => BoardChange<Value>,
  ): Promise<BoardChange<Value> | null> {
    const outcome = await this.boards.mutate(sessionId, decide);
    if (outcome !== null && 'changed' in outcome) this.wake(sessionId);
    return outcome;
  }

  /** Calls `listener` after each change of the board, until the returned function is called. */
  listen(sessionId: SessionId, listener: () => void): () => void {
    const listeners = this.listeners.get(sessionId) ?? new Set();
    this.listeners.set(sessionId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.listeners.delete(sessionId);
    };
  }

  private wake(sessionId: SessionId): void {
    for (const listener of [...(this.listeners.get(sessionId) ?? [])]) listener();
  }
}
