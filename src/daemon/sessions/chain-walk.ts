import type { SessionId } from '../../protocol/ids.js';
import type { EventBody } from './event-body.js';
import { digestOf, eventDigest, genesisDigest, type Digest, type EventChain } from './event-chain.js';
import { incarnationFingerprint } from './incarnation.js';
import type { LedgerFindingKind } from './ledger-verification.js';
import type { SessionHead } from './session-head.js';

/** An event's row, with its place and digest. */
export interface ChainedRow extends EventBody {
  readonly sequence: number;
  readonly digest: Digest | null;
}

/**
 * @param row as SQLite gives it: in a damaged file a column may be of any type
 * @returns null when it has no place in a tail
 */
export function chainedRowOf(row: { readonly [Name in keyof ChainedRow]: unknown }): ChainedRow | null {
  const { sequence, kind, body, digest } = row;
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence)) return null;
  return { sequence, kind: String(kind) as EventBody['kind'], body: String(body), digest: digestOf(digest) };
}

/** A head whose events are chained. */
export type ChainedHead = SessionHead & { readonly chain: EventChain };

/** The first thing that is wrong with a chain. */
export interface ChainFault {
  readonly kind: LedgerFindingKind;
  readonly sequence: number | null;
  readonly message: string;
}

/**
 * Recomputes the chain of one Session from row to row and remembers the first fault. After
 * a fault it goes on from what is there, since nothing behind a fault can be proven by it.
 */
export class ChainWalk {
  private readonly sessionId: SessionId;
  private first: number;
  private expected: number;
  private previous: Digest | null;
  private found: ChainFault | null = null;

  constructor(head: ChainedHead) {
    const { chain, firstRetainedSequence } = head;
    this.sessionId = head.sessionId;
    this.first = firstRetainedSequence;
    this.expected = firstRetainedSequence;
    this.previous = chain.anchor;
    const begins = genesisDigest({ ...chain, incarnation: incarnationFingerprint(head) });
    const startsHere = chain.start === firstRetainedSequence;
    if (chain.start > firstRetainedSequence || (startsHere && !begins.equals(chain.anchor))) {
      this.fail('chain_broken', null, 'the chain does not begin at the genesis of this Session');
    }
  }

  get fault(): ChainFault | null {
    return this.found;
  }

  /** The place that the next row should have. */
  get place(): number {
    return this.expected;
  }

  /** The Session went on while it was walked: what was evicted before it was read is skipped. */
  follow(head: ChainedHead): void {
    if (head.firstRetainedSequence <= this.expected) return;
    this.first = head.firstRetainedSequence;
    this.expected = head.firstRetainedSequence;
    this.previous = head.chain.anchor;
  }

  /**
   * The next row, in the order of sequences.
   *
   * @returns the digest that the event has by all that came before it, or null where that is not known
   */
  take(row: ChainedRow): Digest | null {
    if (row.sequence < this.expected) {
      this.fail('counts_mismatch', row.sequence, `event ${row.sequence} is there, and counted as evicted`);
      return null;
    }
    if (row.sequence > this.expected) this.missing(row.sequence);
    this.expected = row.sequence + 1;
    const digest = this.previous === null ? null : eventDigest(this.previous, this.sessionId, row.sequence, row);
    if (digest !== null && (row.digest === null || !digest.equals(row.digest))) {
      this.fail('event_changed', row.sequence, `event ${row.sequence}, or what it follows, is other than when it was written`);
    }
    this.previous = row.digest;
    return digest;
  }

  /** All rows were taken. */
  end(head: ChainedHead): void {
    if (this.expected < head.eventsObserved) {
      const gone = head.eventsObserved - this.expected;
      this.fail('tail_cut', this.expected, `the newest ${gone} events are gone, from event ${this.expected} on`);
    } else if (this.expected > head.eventsObserved) {
      this.fail('counts_mismatch', head.eventsObserved, `there are more events than the ${head.eventsObserved} that are counted`);
    }
    if (this.previous !== null && !this.previous.equals(head.chain.head)) {
      this.fail('chain_broken', null, 'the events do not lead to the digest in the row of their Session');
    }
  }

  private missing(next: number): void {
    const range = next - 1 === this.expected ? `event ${this.expected} is` : `events ${this.expected} to ${next - 1} are`;
    if (this.expected === this.first) this.fail('tail_cut', this.expected, `the oldest retained ${range} gone`);
    else this.fail('event_missing', this.expected, `${range} gone`);
    this.previous = null;
  }

  private fail(kind: LedgerFindingKind, sequence: number | null, message: string): void {
    this.found ??= { kind, sequence, message };
  }
}
