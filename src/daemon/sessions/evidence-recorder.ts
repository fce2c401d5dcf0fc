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
  /** Whether the started event was stored; settles with its commit. */
  readonly stored: Promise<boolean>;
}

/**
 * The pairs of events that recorded calls leave. A started event is queued at once and
 * nobody waits for it; a finished event is stored no earlier, and with its started event
 * when that one's own commit failed, so that no pair is ever half.
 */
export class EvidenceRecorder {
  private readonly open = new Map<PairId, Pair>();

  constructor(private readonly parts: RecorderParts) {}

  openPair(sessionId: SessionId, start: EvidenceStart): OpenPair {
    const { ledger, retention, now, monotonicNow, randomBytes } = this.parts;
    const pairId = newPairId(randomBytes);
    const sessionProject = ledger.head(sessionId)?.project ?? null;
    const started = startedEvent({ sessionId, project: sessionProject }, start, { eventId: newEventId(randomBytes), pairId }, now());
    retention.pin(sessionId);
    const stored = ledger.record(sessionId, [started]).catch(() => false);
    this.open.set(pairId, { started, startedAtMs: monotonicNow(), sessionProject, stored });
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
      const events = (await pair.stored) ? [finished] : [pair.started, finished];
      if (!(await ledger.record(sessionId, events))) {
        throw new Error(`Session ${sessionId} is not retained, so that the call could not be recorded in it`);
      }
      return { eventId };
    } finally {
      await retention.unpin(sessionId);
    }
  }
}
