import type { SessionEvent, SessionSnapshot } from '../../sessions/index.js';

/** Where the latest attempt of a Session begins, and which events are in it (spec 06 §7.1). */
export interface AttemptBoundary {
  readonly source: 'task_instruction' | 'session_start' | 'unavailable' | 'no_events';
  readonly reasonCode: 'attempt_boundary_evicted' | null;
  /** The instruction that began it; null when none is retained. */
  readonly instruction: SessionEvent | null;
  /** Absolute sequence of its first event; the end is exclusive. */
  readonly startSequence: number;
  readonly endSequence: number;
  /** The retained events of the attempt. */
  readonly events: readonly SessionEvent[];
  /** Whether `events` are all that the attempt ever had. */
  readonly complete: boolean;
}

/** An attempt starts after the newest retained instruction. A cut tail never passes for the Session's start. */
export function attemptBoundary(snapshot: SessionSnapshot): AttemptBoundary {
  const { events, firstRetainedSequence, eventsObserved } = snapshot;
  const index = events.findLastIndex(({ kind }) => kind === 'task_instruction');
  const startsAt = index + 1;
  const attempt = events.slice(startsAt);
  const range = {
    startSequence: firstRetainedSequence + startsAt,
    endSequence: eventsObserved,
    events: attempt,
    instruction: events[index] ?? null,
  };
  if (index >= 0) return { ...range, source: 'task_instruction', reasonCode: null, complete: true };
  if (eventsObserved === 0) return { ...range, source: 'no_events', reasonCode: null, complete: true };
  if (firstRetainedSequence === 0) return { ...range, source: 'session_start', reasonCode: null, complete: true };
  return { ...range, source: 'unavailable', reasonCode: 'attempt_boundary_evicted', complete: false };
}
