import { canonicalFinishedEvents, type SessionEvent, type SessionSnapshot } from '../../sessions/index.js';
import { callVerdict, type CallVerdict } from './call-verdict.js';
import { checkIdentity } from './check-identity.js';

/** One call of a Session, or the end of a Job that one became, counted once, with what later ones made of it. */
export interface FinishedCall {
  readonly event: SessionEvent;
  /** The absolute sequence of its finished event. */
  readonly sequence: number;
  /** The absolute sequence of the started event, of the call itself or of the one that the Job was; null when that is no longer retained. */
  readonly startSequence: number | null;
  readonly verdict: CallVerdict;
  /** What it is the same check by as others; null when it is none, or cannot be told. */
  readonly identity: string | null;
  /** The later pass of the same check that made this failure history, or null. */
  readonly resolvedBy: string | null;
}

/** The calls and Job ends of the whole retained tail in ledger order, collapsed before anybody slices (spec 06 §1). */
export function finishedCalls(snapshot: SessionSnapshot): readonly FinishedCall[] {
  const starts = new Map<string, number>();
  const admissions = new Map<string, string>();
  const canonical = new Set(canonicalFinishedEvents(snapshot.events));
  const calls: UnresolvedCall[] = [];
  for (const [index, event] of snapshot.events.entries()) {
    const sequence = snapshot.firstRetainedSequence + index;
    const { call_id: callId, job_id: jobId } = event;
    if (event.kind === 'tool_call_started' && callId !== undefined) starts.set(callId, sequence);
    const isEnd = event.kind === 'validation_job_terminal';
    if (!isEnd && !canonical.has(event)) continue;
    if (!isEnd && jobId !== null && callId !== undefined) admissions.set(jobId, callId);
    const startedBy = isEnd ? admissions.get(jobId ?? '') : callId;
    calls.push({
      event,
      sequence,
      startSequence: startedBy === undefined ? null : (starts.get(startedBy) ?? null),
      verdict: callVerdict(event),
      identity: checkIdentity(event),
    });
  }
  const passes = calls.filter(isResolvingPass);
  return calls.map((call) => ({ ...call, resolvedBy: resolvedBy(call, passes) }));
}

type UnresolvedCall = Omit<FinishedCall, 'resolvedBy'>;

/** A failure or a mismatch is resolved by a later real pass of the same check, and by nothing else. */
function resolvedBy(call: UnresolvedCall, passes: readonly UnresolvedCall[]): string | null {
  if (call.identity === null || (call.verdict !== 'failure' && call.verdict !== 'mismatch')) return null;
  const pass = passes.find((later) => later.identity === call.identity && isLater(later, call));
  return pass?.event.event_id ?? null;
}

/** A real pass of a check; one of structured tests counts when it is known that some ran. */
function isResolvingPass({ event, verdict, identity }: UnresolvedCall): boolean {
  if (identity === null || (verdict !== 'passed' && verdict !== 'unexpected_success')) return false;
  const evidence = event.validation_output_summary?.evidence;
  if (evidence?.kind !== 'test') return true;
  return evidence.counts !== null && evidence.counts.passed + evidence.counts.failed > 0;
}

/** By the time it ended, then by its place in the ledger. */
export function isLater(one: Pick<FinishedCall, 'event' | 'sequence'>, other: Pick<FinishedCall, 'event' | 'sequence'>): boolean {
  const difference = endOf(one.event) - endOf(other.event);
  return difference === 0 ? one.sequence > other.sequence : difference > 0;
}

function endOf(event: SessionEvent): number {
  return event.finished_at ?? event.timestamp;
}
