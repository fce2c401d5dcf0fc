import type { SessionId } from '../../protocol/ids.js';

export type Lifecycle = 'active' | 'closed';

/** A row of `sessions` as far as its place in an order goes. */
export interface OrderedSession {
  readonly session_id: SessionId;
  readonly lifecycle: Lifecycle;
}

/**
 * In which order the retained Sessions were last accessed (spec 01 §6), and which of them
 * are Closed. It lives in memory only: exact reads move it, scans and restarts do not
 * write it, and a start seeds it by `updated_at`.
 *
 * All retained Sessions are in the order that a document shows, the Closed ones also in
 * that which they are removed in. The two differ after an import alone: what nobody has
 * accessed since keeps its place in the document, so that the next document is the same,
 * and is removed by `updated_at` as after a start.
 */
export class AccessOrder {
  // A Set iterates in insertion order, so that its first element is the least recent one.
  private readonly retained = new Set<SessionId>();
  private readonly closed = new Set<SessionId>();

  add(id: SessionId, lifecycle: Lifecycle): void {
    toEnd(this.retained, id);
    if (lifecycle === 'closed') toEnd(this.closed, id);
  }

  /**
   * Takes over what an import brought.
   *
   * @param document in the order of the document
   * @param removal the same in the order that Closed ones are to be removed in
   */
  seed(document: Iterable<OrderedSession>, removal: Iterable<OrderedSession>): void {
    for (const { session_id: id } of document) toEnd(this.retained, id);
    for (const { session_id: id, lifecycle } of removal) if (lifecycle === 'closed') toEnd(this.closed, id);
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

  /** All retained Sessions in the order of a document, least recently accessed first. */
  leastRecentFirst(): Iterable<SessionId> {
    return this.retained;
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
