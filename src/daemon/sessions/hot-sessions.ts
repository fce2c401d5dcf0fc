import type { SessionId } from '../../protocol/ids.js';
import type { SessionHead } from './session-head.js';

/**
 * The Sessions that are expanded in memory (spec 01 §6): Active ones that a mutation
 * worked on, at most `max(1, target)` of them. Their heads answer look-ups without
 * touching the disk; their events stay there, or a hundred full tails would take
 * hundreds of megabytes.
 *
 * A work drops its Session before it writes and puts the new head back once committed,
 * so that memory never holds what a failed commit left out.
 */
export class HotSessions {
  private readonly heads = new Map<SessionId, SessionHead>();

  constructor(private readonly target: number) {}

  /** The head, when the Session is hot; looking moves nothing. */
  get(id: SessionId): SessionHead | null {
    return this.heads.get(id) ?? null;
  }

  /** A hot Session was accessed: it is the last to be demoted. */
  touch(id: SessionId): void {
    const head = this.heads.get(id);
    if (head === undefined) return;
    this.heads.delete(id);
    this.heads.set(id, head);
  }

  /** Makes an Active Session hot and demotes the least recent others; a Closed one is always cold. */
  put(head: SessionHead): void {
    this.heads.delete(head.sessionId);
    if (head.lifecycle !== 'active') return;
    this.heads.set(head.sessionId, head);
    for (const id of this.heads.keys()) {
      if (this.heads.size <= Math.max(1, this.target)) break;
      this.heads.delete(id);
    }
  }

  drop(id: SessionId): void {
    this.heads.delete(id);
  }

  get count(): number {
    return this.heads.size;
  }
}
