import { canonicalFinishedEvents, type SessionEvent, type SessionSnapshot } from '../../sessions/index.js';
import { callVerdict, type CallVerdict } from './call-verdict.js';
import { checkIdentity } from './check-identity.js';

/** One call of a Session, counted once, with what later calls made of it. */
export interface FinishedCall {
  readonly event: SessionEvent;
  /** The absolute sequence of its finished event. */
  readonly sequence: number;
  /** The absolute sequence of its started event; null when that is no longer retained. */
  readonly startSequence: number | null;
  readonly verdict: CallVerdict;
  /** What it is the same check by as others; null when it is none, or cannot be told. */
  readonly identity: string | null;
  /** The later pass of the same check that made this failure history, or null. */
  readonly resolvedBy: string | null;
}

/** The calls of the whole retained tail in ledger order, collapsed before anybody slices (spec 06 §1). */
export function finishedCalls(snapshot: SessionSnapshot): readonly FinishedCall[] {
  const sequences = new Map<SessionEvent, number>();
  const starts = new Map<string, number>();
  for (const [index, event] of snapshot.events.entries()) {
    const sequence = snapshot.firstRetainedSequence + index;
    sequences.set(event, sequence);
    if (event.kind === 'tool_call_started' && event.call_id !== undefined) starts.set(event.call_id, sequence);
  }
  const calls = canonicalFinishedEvents(snapshot.events).map((event) => ({
    event,
    sequence: sequences.get(event) ?? snapshot.eventsObserved,
    startSequence: event.call_id === undefined ? null : (starts.get(event.call_id) ?? null),
    verdict: callVerdict(event),
    identity: checkIdentity(event),
  }));
  const passes = calls.filter(({ verdict, identity }) => verdict === 'passed' && identity !== null);
  return calls.map((call) => ({ ...call, resolvedBy: resolvedBy(call, passes) }));
}

type UnresolvedCall = Omit<FinishedCall, 'resolvedBy'>;

/** A failure or a mismatch is resolved by a later real pass of the same check, and by nothing else. */
function resolvedBy(call: UnresolvedCall, passes: readonly UnresolvedCall[]): string | null {
  if (call.identity === null || (call.verdict !== 'failure' && call.verdict !== 'mismatch')) return null;
  const pass = passes.find((later) => later.identity === call.identity && isLater(later, call));
  return pass?.event.event_id ?? null;
}

/** By the time it ended, then by its place in the ledger. */
function isLater(one: UnresolvedCall, other: UnresolvedCall): boolean {
  const difference = endOf(one.event) - endOf(other.event);
  return difference === 0 ? one.sequence > other.sequence : difference > 0;
}

function endOf(event: SessionEvent): number {
  return event.finished_at ?? event.timestamp;
}
