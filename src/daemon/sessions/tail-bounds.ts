/** Which events of a Session are retained, in absolute, zero-based sequences. */
export interface RetainedTail {
  readonly eventsObserved: number;
  /** As many events were evicted. */
  readonly firstRetainedSequence: number;
}

/** What a reader is told of the tail and of the slice that it was shown (spec 01 §5). */
export interface TailFacts {
  readonly events_total: number;
  readonly events_retained: number;
  readonly events_evicted: number;
  readonly retention_truncated: boolean;
  readonly ledger_first_retained_sequence: number;
  readonly events_returned: number;
  readonly first_retained_sequence: number;
  readonly events_truncated: boolean;
}

/** The newest `limit` events of a tail: where the slice begins, and what to say of it. */
export function newestEvents(tail: RetainedTail, limit: number): { readonly from: number; readonly facts: TailFacts } {
  const retained = tail.eventsObserved - tail.firstRetainedSequence;
  const returned = Math.min(retained, limit);
  const from = tail.eventsObserved - returned;
  return {
    from,
    facts: {
      events_total: tail.eventsObserved,
      events_retained: retained,
      events_evicted: tail.firstRetainedSequence,
      retention_truncated: tail.firstRetainedSequence > 0,
      ledger_first_retained_sequence: tail.firstRetainedSequence,
      events_returned: returned,
      first_retained_sequence: from,
      events_truncated: tail.eventsObserved > returned,
    },
  };
}

/** The tail after one more event, first in first out. */
export function appended(tail: RetainedTail, eventsPerSession: number): RetainedTail {
  const eventsObserved = tail.eventsObserved + 1;
  return {
    eventsObserved,
    firstRetainedSequence: Math.max(tail.firstRetainedSequence, eventsObserved - eventsPerSession),
  };
}
