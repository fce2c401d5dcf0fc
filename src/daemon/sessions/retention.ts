import type { SessionId } from '../../protocol/ids.js';
import { CommitFailedError, type CommitQueue } from '../storage/commit-queue.js';
import type { AccessOrder } from './access-order.js';
import { incarnationFingerprint } from './incarnation.js';
import type { RefStore } from './ref-store.js';
import { UnreadableRowError, type SessionHead } from './session-head.js';
import type { SessionStore } from './store.js';
import { restoreTombstones } from './tombstone.js';
import type { TombstoneStore } from './tombstone-store.js';

/** Sessions that one commit removes: each may have thousands of events. */
const REMOVALS_PER_COMMIT = 20;

export interface RetentionParts {
  readonly store: SessionStore;
  readonly tombstones: TombstoneStore;
  readonly refs: RefStore;
  readonly commits: CommitQueue;
  readonly order: AccessOrder;
  /** How many Closed Sessions, and how many tombstones, are retained. */
  readonly historicalLimit: number;
}

/**
 * Keeps Closed history bounded (spec 01 §6): the least recently accessed Closed Sessions
 * go, each leaving a tombstone, and the lowest tombstones go after them. Active Sessions
 * are never touched, and neither is a Session while a pair of its evidence is open.
 */
export class Retention {
  private readonly pins = new Map<SessionId, number>();
  private removed = 0;
  private error: string | null = null;

  constructor(private readonly parts: RetentionParts) {}

  /** How many Sessions this daemon has removed. */
  get capacityEvictions(): number {
    return this.removed;
  }

  /** Why the last removal failed, until one succeeds; it is tried again with the next close. */
  get lastError(): string | null {
    return this.error;
  }

  /** Holds a Session as long as a pair of its evidence is open. */
  pin(id: SessionId): void {
    this.pins.set(id, (this.pins.get(id) ?? 0) + 1);
  }

  /** Lets go of it; a removal that waited for this happens now. */
  async unpin(id: SessionId): Promise<void> {
    const held = (this.pins.get(id) ?? 0) - 1;
    if (held > 0) {
      this.pins.set(id, held);
      return;
    }
    this.pins.delete(id);
    await this.prune();
  }

  /** Brings history back under its limit. It does not fail: what could not be removed stays, and is tried again. */
  async prune(): Promise<void> {
    if (this.excess > 0) await this.applyLimits();
  }

  /** Applies both limits, in short commits: Closed Sessions, and the tombstones that they leave. */
  async applyLimits(): Promise<void> {
    let before: number;
    do {
      before = this.excess;
      await this.commit(() => this.removeOldest());
    } while (this.excess > 0 && this.excess < before);
  }

  /** What a start does before anything else: tombstones by the rules of restore, then the limits. */
  restore(): void {
    let before = this.excess;
    void this.commit(() => {
      this.restoreTombstones();
      return this.removeOldest();
    });
    this.parts.commits.flush();
    while (this.excess > 0 && this.excess < before) {
      before = this.excess;
      void this.commit(() => this.removeOldest());
      this.parts.commits.flush();
    }
  }

  private get excess(): number {
    return this.parts.order.closedCount - this.parts.historicalLimit;
  }

  private async commit(remove: () => Removal): Promise<void> {
    let removal: Removal = { gone: [], removed: 0 };
    try {
      await this.parts.commits.enqueue(
        () => {
          removal = remove();
        },
        () => {
          for (const id of removal.gone) this.parts.order.remove(id);
          this.removed += removal.removed;
          this.error = null;
        },
      );
    } catch (error) {
      if (!(error instanceof CommitFailedError)) throw error;
      this.error = error.message;
    }
  }

  private restoreTombstones(): void {
    const { tombstones, order } = this.parts;
    const { dropped, greatestOrdinal } = restoreTombstones(tombstones.all(), (id) => order.has(id));
    for (const row of dropped) tombstones.remove(row.sessionId);
    if (greatestOrdinal > tombstones.greatest()) tombstones.rememberGreatest(greatestOrdinal);
  }

  /** Looks at as many as are too many; what has to stay now is not made up for by a younger one. */
  private removeOldest(): Removal {
    const { order, tombstones, refs, historicalLimit } = this.parts;
    const gone: SessionId[] = [];
    let removed = 0;
    let looked = 0;
    for (const id of order.closedOldestFirst()) {
      if (looked >= this.excess || gone.length >= REMOVALS_PER_COMMIT) break;
      looked += 1;
      if (this.pins.has(id)) continue;
      const head = this.readable(id);
      if (head === 'unreadable') continue;
      gone.push(id);
      if (head !== null && this.bury(head)) removed += 1;
    }
    for (const row of tombstones.trim(historicalLimit)) refs.forget(row);
    return { gone, removed };
  }

  /** Replaces a Session by its tombstone; its lifecycle is looked at again by the statement itself. */
  private bury(head: SessionHead): boolean {
    if (!this.parts.store.removeClosed(head)) return false;
    this.parts.tombstones.add({
      sessionId: head.sessionId,
      ownerFingerprint: head.ownerFingerprint,
      incarnation: incarnationFingerprint(head),
    });
    return true;
  }

  /** Null for a Session that is gone already. */
  private readable(id: SessionId): SessionHead | null | 'unreadable' {
    try {
      return this.parts.store.head(id);
    } catch (error) {
      if (error instanceof UnreadableRowError) return 'unreadable';
      throw error;
    }
  }
}

interface Removal {
  /** No longer retained, by this removal or by one before it in the same commit. */
  readonly gone: readonly SessionId[];
  readonly removed: number;
}
