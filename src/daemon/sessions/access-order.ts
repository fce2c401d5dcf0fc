import type { SessionId } from '../../protocol/ids.js';

export type Lifecycle = 'active' | 'closed';

/**
 * In which order the retained Sessions were last accessed (spec 01 §6), and which of them
 * are Closed. It lives in memory only: exact reads move it, scans and restarts do not
 * write it, and a start seeds it by `updated_at`.
 */
export class AccessOrder {
  // A Set iterates in insertion order, so that its first element is the least recent one.
  private readonly retained = new Set<SessionId>();
  private readonly closed = new Set<SessionId>();

  add(id: SessionId, lifecycle: Lifecycle): void {
    toEnd(this.retained, id);
    if (lifecycle === 'closed') toEnd(this.closed, id);
  }

  /** A Session was accessed; unknown ids are nobody's access. */
  touch(id: SessionId): void {
    if (!this.retained.has(id)) return;
    toEnd(this.retained, id);
    if (this.closed.has(id)) toEnd(this.closed, id);
  }

  remove(id: SessionId): void {
    this.retained.delete(id);
    this.closed.delete(id);
  }

  has(id: SessionId): boolean {
    return this.retained.has(id);
  }

  get retainedCount(): number {
    return this.retained.size;
  }

  get closedCount(): number {
    return this.closed.size;
  }

  /** The Closed Sessions, least recently accessed first. */
  closedOldestFirst(): Iterable<SessionId> {
    return this.closed;
  }
}

function toEnd(order: Set<SessionId>, id: SessionId): void {
  order.delete(id);
  order.add(id);
}
