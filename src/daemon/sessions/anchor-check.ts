import type { SessionId } from '../../protocol/ids.js';
import type { AnchorStore } from './anchor-store.js';
import type { Digest } from './event-chain.js';
import { anchorDigest, anchorEntries, parseAnchorLine, type AnchorEntry } from './ledger-anchor.js';
import type { AnchorVerdict, LedgerFinding } from './ledger-verification.js';

/** What became of a Session that an anchor knows and the ledger no longer has. */
export type Departure = 'expired' | 'gone' | 'removed';

/**
 * Holds an anchor against a ledger, Session by Session, as the ledger is walked. Digests
 * are those that the walk recomputed: a chain that was computed anew after a change leads
 * to another one.
 */
export class AnchorCheck {
  private proven = 0;
  private evicted = 0;
  private expired = 0;
  private gone = 0;
  private contradicted = 0;

  private constructor(
    private readonly madeAt: number,
    private readonly pending: Map<SessionId, AnchorEntry>,
    private readonly report: (finding: LedgerFinding) => void,
  ) {}

  /** Begins the check of a kept line; `unknown` when it is none, or its list is not kept here (unchanged). */
  static begin(line: string, anchors: AnchorStore, report: (finding: LedgerFinding) => void): AnchorCheck | AnchorVerdict {
    const kept = parseAnchorLine(line);
    const list = kept === null ? null : anchors.find(kept.digest);
    if (kept === null || list === null) return unknownAnchor(kept?.madeAt ?? null);
    if (anchorDigest(list) !== kept.digest) {
      report({
        kind: 'anchor_mismatch',
        sessionId: null,
        sequence: null,
        message: 'the list that the anchor stands for is other than when it was made',
      });
      return { ...unknownAnchor(kept.madeAt), status: 'contradicted' };
    }
    return new AnchorCheck(list.madeAt, anchorEntries(list.entries), report);
  }

  /** The sequence whose digest decides on a Session, or null when the anchor does not know it. */
  sequenceOf(sessionId: SessionId): number | null {
    const entry = this.pending.get(sessionId);
    return entry === undefined ? null : entry.eventsObserved - 1;
  }

  /** The digest that the walk has for that sequence, for the one before the tail or a retained event. */
  decide(sessionId: SessionId, digest: Digest): void {
    const entry = this.pending.get(sessionId);
    if (entry === undefined) return;
    this.pending.delete(sessionId);
    if (digest.toString('hex') === entry.head) this.proven += 1;
    else this.contradict(entry, `event ${entry.eventsObserved - 1} and its history are other than when the anchor was made`);
  }

  /** The Session was walked to its end without a decision: the event was evicted, or was cut off. */
  undecided(sessionId: SessionId, firstRetainedSequence: number): void {
    const entry = this.pending.get(sessionId);
    if (entry === undefined) return;
    this.pending.delete(sessionId);
    if (entry.eventsObserved - 1 < firstRetainedSequence) this.evicted += 1;
    else this.contradict(entry, `it had ${entry.eventsObserved} events when the anchor was made, and does not show them`);
  }

  /** All Sessions were walked. */
  end(departureOf: (sessionId: SessionId) => Departure): AnchorVerdict {
    for (const entry of this.pending.values()) {
      const departure = departureOf(entry.sessionId);
      if (departure === 'expired') this.expired += 1;
      else if (departure === 'gone') this.gone += 1;
      else this.contradict(entry, 'it was there when the anchor was made; now it cannot be read, and it did not expire');
    }
    const { madeAt, proven, evicted, expired, gone, contradicted } = this;
    return { status: contradicted > 0 ? 'contradicted' : 'contained', madeAt, proven, evicted, expired, gone, contradicted };
  }

  private contradict({ sessionId, eventsObserved }: AnchorEntry, message: string): void {
    this.contradicted += 1;
    this.report({ kind: 'anchor_mismatch', sessionId, sequence: Math.max(0, eventsObserved - 1), message });
  }
}

function unknownAnchor(madeAt: number | null): AnchorVerdict {
  return { status: 'unknown', madeAt, proven: 0, evicted: 0, expired: 0, gone: 0, contradicted: 0 };
}
