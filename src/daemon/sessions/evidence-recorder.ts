import type { EventId, PairId, SessionId } from '../../protocol/ids.js';
import type { ClosedPair, EvidenceEnd, EvidenceStart, OpenPair } from '../kernel/ports.js';
import { finishedEvent, startedEvent } from './call-events.js';
import { newEventId, newPairId } from './event-ids.js';
import type { SessionEvent } from './event-row.js';
import type { Ledger } from './ledger.js';
import type { Retention } from './retention.js';

export interface RecorderParts {
  readonly ledger: Ledger;
  readonly retention: Retention;
  /** Unix seconds. */
  readonly now: () => number;
  /** Milliseconds of the monotonic clock. */
  readonly monotonicNow: () => number;
  readonly randomBytes: (size: number) => Buffer;
}

interface Pair {
  readonly started: SessionEvent;
  readonly startedAtMs: number;
  readonly sessionProject: string | null;
  /** Whether the started event is written, by a commit that stood or that is still under way. */
  written: boolean;
}

/**
 * The pairs of events that recorded calls leave. A started event is queued at once and
 * nobody waits for it; a finished event comes after it, often in the same commit, and
 * brings its started event along when that one's own commit failed. No pair is ever half
 * once it is closed.
 */
export class EvidenceRecorder {
  private readonly open = new Map<PairId, Pair>();

  constructor(private readonly parts: RecorderParts) {}

  openPair(sessionId: SessionId, start: EvidenceStart): OpenPair {
    const { ledger, retention, now, monotonicNow, randomBytes } = this.parts;
    const pairId = newPairId(randomBytes);
    const sessionProject = ledger.head(sessionId)?.project ?? null;
    const ids = { eventId: newEventId(randomBytes), pairId };
    const started = startedEvent({ sessionId, project: sessionProject }, start, ids, now());
    retention.pin(sessionId);
    const pair: Pair = { started, startedAtMs: monotonicNow(), sessionProject, written: false };
    this.open.set(pairId, pair);
    const written = () => {
      pair.written = true;
    };
    ledger.mutate(sessionId, () => ({ events: [started], written })).catch(() => {
      pair.written = false;
    });
    return { sessionId, pairId };
  }

  /**
   * @throws CommitFailedError, or an error when the Session is not retained; the pair is
   * over in any case
   */
  async closePair({ sessionId, pairId }: OpenPair, end: EvidenceEnd): Promise<ClosedPair> {
    const { ledger, retention, now, monotonicNow, randomBytes } = this.parts;
    const pair = this.open.get(pairId);
    if (pair === undefined) throw new Error(`the pair ${pairId} is not open`);
    this.open.delete(pairId);
    const eventId: EventId = newEventId(randomBytes);
    const finished = finishedEvent(pair.started, end, {
      eventId,
      now: now(),
      durationMs: monotonicNow() - pair.startedAtMs,
      sessionProject: pair.sessionProject,
    });
    try {
      const outcome = await ledger.mutate(sessionId, () => ({
        events: pair.written ? [finished] : [pair.started, finished],
      }));
      if (!('head' in outcome)) {
        throw new Error(`Session ${sessionId} is not retained, so that the call could not be recorded in it`);
      }
      const { eventsObserved, firstRetainedSequence } = outcome.head;
      return { eventId, tail: { observed: eventsObserved, retained: eventsObserved - firstRetainedSequence } };
    } finally {
      await retention.unpin(sessionId);
    }
  }
}
