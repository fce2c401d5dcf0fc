import { canonicalFinishedEvents, type SessionEvent, type SessionSnapshot } from '../../sessions/index.js';
import { callVerdict, type CallVerdict } from './call-verdict.js';
import { checkIdentity } from './check-identity.js';
import { endTimes } from './end-times.js';

/** One call of a Session, or the end of a Job that one became, counted once, with what later ones made of it. */
export interface FinishedCall {
  readonly event: SessionEvent;
  /** The absolute sequence of its finished event. */
  readonly sequence: number;
  /** The absolute sequence of the started event, of the call itself or of the one that the Job was; null when that is no longer retained. */
  readonly startSequence: number | null;
  /** When it ended, in Unix seconds, whatever the clock did meanwhile (`endTimes`). */
  readonly endedAt: number;
  readonly verdict: CallVerdict;
  /** What it is the same check by as others; null when it is none, or cannot be told. */
  readonly identity: string | null;
  /** The later pass of the same check that made this failure history, or null. */
  readonly resolvedBy: string | null;
}

/** The calls and Job ends of the whole retained tail in ledger order, collapsed before anybody slices (spec 06 §1). */
export function finishedCalls(snapshot: SessionSnapshot): readonly FinishedCall[] {
  const starts = new Map<string, number>();
  const admissions = new Map<string, number>();
  const canonical = new Set(canonicalFinishedEvents(snapshot.events));
  for (const [index, { kind, call_id: callId, job_id: jobId }] of snapshot.events.entries()) {
    if (kind === 'tool_call_started' && callId !== undefined) starts.set(callId, index);
    if (kind === 'tool_call_finished' && jobId !== null) admissions.set(jobId, index);
  }
  const ends = endTimes(snapshot.events, admissions);
  const calls = snapshot.events.flatMap((event, index): UnresolvedCall[] => {
    const isEnd = event.kind === 'validation_job_terminal';
    if (!isEnd && !canonical.has(event)) return [];
    const call = isEnd ? snapshot.events[admissions.get(event.job_id ?? '') ?? -1] : event;
    const start = starts.get(call?.call_id ?? '');
    return [
      {
        event,
        sequence: snapshot.firstRetainedSequence + index,
        startSequence: start === undefined ? null : snapshot.firstRetainedSequence + start,
        endedAt: ends[index] ?? 0,
        verdict: callVerdict(event),
        identity: checkIdentity(event),
      },
    ];
  });
  const passes = passesByCheck(calls);
  return calls.map((call) => ({ ...call, resolvedBy: resolvedBy(call, passes) }));
}

type UnresolvedCall = Omit<FinishedCall, 'resolvedBy'>;

/** The real passes of each check, in ledger order. */
function passesByCheck(calls: readonly UnresolvedCall[]): ReadonlyMap<string, readonly UnresolvedCall[]> {
  const passes = new Map<string, UnresolvedCall[]>();
  for (const call of calls) {
    if (call.identity === null || !isResolvingPass(call)) continue;
    const ofCheck = passes.get(call.identity);
    if (ofCheck === undefined) passes.set(call.identity, [call]);
    else ofCheck.push(call);
  }
  return passes;
}

/** A failure or a mismatch is resolved by a later real pass of the same check, and by nothing else. */
function resolvedBy(call: UnresolvedCall, passes: ReadonlyMap<string, readonly UnresolvedCall[]>): string | null {
  if (call.identity === null || (call.verdict !== 'failure' && call.verdict !== 'mismatch')) return null;
  const pass = passes.get(call.identity)?.find((later) => isLater(later, call));
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
export function isLater(one: Pick<FinishedCall, 'endedAt' | 'sequence'>, other: Pick<FinishedCall, 'endedAt' | 'sequence'>): boolean {
  return one.endedAt === other.endedAt ? one.sequence > other.sequence : one.endedAt > other.endedAt;
}
