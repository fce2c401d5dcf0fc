import { setImmediate } from 'node:timers/promises';
import type { SessionId } from '../../protocol/ids.js';
import { CommitFailedError } from '../storage/commit-queue.js';
import { decodeEvent, encodeEvent, type EventBody } from './event-body.js';
import { eventDigest, newChain, type Digest, type EventChain } from './event-chain.js';
import { incarnationFingerprint } from './incarnation.js';
import { UnreadableRowError, type SessionHead } from './session-head.js';
import type { SessionStore } from './store.js';

/**
 * Gives a Session whose rows are older than chains its chain: from the first retained event
 * on, with a genesis that says so. It runs inside a commit and writes rows and head.
 */
export function adoptChain(store: SessionStore, head: SessionHead): EventChain {
  const chain = newChain({
    origin: 'adopted',
    documentDigest: null,
    start: head.firstRetainedSequence,
    incarnation: incarnationFingerprint(head),
  });
  let newest: Digest = chain.head;
  let sequence = head.firstRetainedSequence;
  for (const row of store.events(head, head.firstRetainedSequence)) {
    const event = oneEncoding(head.sessionId, row);
    newest = eventDigest(newest, head.sessionId, sequence, event);
    store.chainEvent(head, sequence, event, newest);
    sequence += 1;
  }
  const adopted: EventChain = { ...chain, head: newest };
  store.writeChain(head, adopted);
  return adopted;
}

/** A row that cannot be read is bound as it is: kept, refused, and not to be changed any more. */
function oneEncoding(sessionId: SessionId, row: EventBody): EventBody {
  try {
    return encodeEvent(decodeEvent(sessionId, row));
  } catch {
    return row;
  }
}

export interface AdoptionParts {
  readonly store: SessionStore;
  /** Adopts one Session in a commit of its own. */
  readonly adopt: (sessionId: SessionId) => Promise<void>;
}

/**
 * Chains the Sessions of an older daemon in the background: one Session a commit, with a
 * turn of the event loop after each, so that a start is as fast as before and no call waits
 * for more than one Session. What an end interrupts goes on at the next start.
 */
export class ChainAdoption {
  private stopped = false;
  private error: string | null = null;

  constructor(private readonly parts: AdoptionParts) {}

  /** Why it ended before all was done, if it did; verification names the Sessions that have no chain. */
  get lastError(): string | null {
    return this.error;
  }

  async run(): Promise<void> {
    try {
      await this.adoptAll();
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error);
    }
  }

  stop(): void {
    this.stopped = true;
  }

  private async adoptAll(): Promise<void> {
    const { store, adopt } = this.parts;
    let after = 0;
    while (!this.stopped) {
      const next = store.withoutChain(after);
      if (next === null) return;
      after = next.number;
      try {
        await adopt(next.sessionId);
      } catch (error) {
        // A row that cannot be read, or a commit that failed, leaves this Session as it was.
        if (!(error instanceof UnreadableRowError) && !(error instanceof CommitFailedError)) throw error;
      }
      await setImmediate();
    }
  }
}
