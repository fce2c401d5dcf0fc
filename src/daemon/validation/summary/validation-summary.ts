import type { JsonObject } from '../../../protocol/tool-result.js';
import type { SessionSnapshot } from '../../sessions/index.js';
import { attemptBoundary } from '../history/attempt-boundary.js';
import { plainChecks, plainChecksView } from '../history/checks-outside-validators.js';
import { lastContentChange } from '../history/content-changes.js';
import type { FinishedCall } from '../history/finished-calls.js';
import { isDeciding, isFailure, validationEvents, validationEventView, type ValidationEvent } from './validation-event.js';

export type ValidationStanding = 'passed' | 'failed' | 'mixed' | 'inconclusive' | 'not_run' | 'unknown';

const MAX_LISTED_FAILURES = 20;

/** How a Session stands on validation: pure facts of its retained tail (spec 06 §4). */
export interface ValidationSummary {
  readonly status: ValidationStanding;
  /** Why the status is what it is, where nothing was validated. */
  readonly reason: 'no_validation_tool_invoked' | 'checks_ran_outside_validators' | null;
  /** By the time they ended, the oldest first. */
  readonly events: readonly ValidationEvent[];
  readonly unresolved: readonly ValidationEvent[];
  readonly resolved: readonly ValidationEvent[];
  readonly current: CurrentEvidence;
  /** The newest run of `cargo_test` passed, and no test ran in it. */
  readonly zeroTestsRun: boolean;
}

/** What was validated after the last change of content, within the attempt. */
export interface CurrentEvidence {
  /** `stale`: something was validated, and content has changed since it started. */
  readonly status: ValidationStanding | 'stale';
  readonly events: readonly ValidationEvent[];
}

/** Summarizes the calls of a snapshot's whole tail. */
export function validationSummary(snapshot: SessionSnapshot, calls: readonly FinishedCall[]): ValidationSummary {
  const events = validationEvents(calls);
  const failures = events.filter(isFailure);
  const unresolved = failures.filter(({ resolvedBy }) => resolvedBy === null);
  const newestTests = events.findLast(({ event }) => event.tool_name === 'cargo_test');
  return {
    status: standing(events),
    reason: events.length > 0 ? null : plainChecks(calls).length > 0 ? 'checks_ran_outside_validators' : 'no_validation_tool_invoked',
    events,
    unresolved,
    resolved: failures.filter(({ resolvedBy }) => resolvedBy !== null),
    current: currentEvidence(events, attemptBoundary(snapshot).startSequence, lastContentChange(calls)),
    zeroTestsRun: newestTests?.evidence.status === 'passed' && newestTests.evidence.counts?.total === 0,
  };
}

/** Executions whose start provably follows both the attempt's begin and the last change of content. */
function currentEvidence(events: readonly ValidationEvent[], attemptStart: number, lastChange: number | null): CurrentEvidence {
  const after = Math.max(attemptStart - 1, lastChange ?? -1);
  const current = events.filter(({ startSequence }) => startSequence !== null && startSequence > after);
  if (current.length > 0 || events.length === 0) return { status: standing(current), events: current };
  const isStale = lastChange !== null && events.some(({ startSequence }) => startSequence === null || startSequence <= lastChange);
  return { status: isStale ? 'stale' : 'not_run', events: current };
}

function standing(events: readonly ValidationEvent[]): ValidationStanding {
  if (events.length === 0) return 'not_run';
  const deciding = events.filter(isDeciding);
  const latest = deciding.at(-1);
  if (latest === undefined) return 'unknown';
  const passes = deciding.some(({ evidence }) => evidence.status === 'passed');
  if (deciding.some((event) => isFailure(event) && event.resolvedBy === null)) return passes ? 'mixed' : 'failed';
  if (latest.evidence.status === 'evidence_gap') return 'inconclusive';
  return passes ? 'passed' : 'inconclusive';
}

/** The summary as outputs show it; `limit` bounds the list of events, never what is counted. */
export function validationSummaryView(summary: ValidationSummary, calls: readonly FinishedCall[], limit: number): JsonObject {
  const { events, unresolved, resolved } = summary;
  const count = (status: ValidationEvent['evidence']['status']): number => events.filter(({ evidence }) => evidence.status === status).length;
  const latest = events.at(-1);
  return {
    available: true,
    status: summary.status,
    ...(summary.reason === null ? {} : { reason: summary.reason }),
    latest: viewOrNull(latest),
    latest_status: latestStatus(events),
    latest_success: viewOrNull(events.findLast(({ evidence }) => evidence.status === 'passed')),
    latest_failure: viewOrNull(events.findLast(isFailure)),
    events_total: events.length,
    successes: count('passed'),
    failures: resolved.length + unresolved.length,
    expected_results: count('expected_result'),
    evidence_gaps: count('evidence_gap'),
    resolved_failures: { count: resolved.length, events: listed(resolved) },
    unresolved_failures: { count: unresolved.length, events: listed(unresolved) },
    historical_failures: { count: resolved.length + unresolved.length, resolved: resolved.length, unresolved: unresolved.length },
    current_evidence: currentView(summary.current),
    parser: latest?.evidence.parser ?? null,
    cargo_test_zero_tests_run: summary.zeroTestsRun,
    events: events.slice(-limit).reverse().map(validationEventView),
    events_truncated: events.length > limit,
    checks_outside_validators: plainChecksView(plainChecks(calls)),
  };
}

/** What the newest deciding validation came to; neutral ones are passed over. */
export function latestStatus(events: readonly ValidationEvent[]): ValidationStanding {
  const latest = events.findLast(isDeciding);
  if (latest === undefined) return events.length === 0 ? 'not_run' : 'unknown';
  if (latest.evidence.status === 'passed') return 'passed';
  return latest.evidence.status === 'evidence_gap' ? 'inconclusive' : 'failed';
}

function currentView({ status, events }: CurrentEvidence): JsonObject {
  return {
    status,
    ...(status === 'stale' ? { reason_code: 'validation_stale_after_changes' } : {}),
    events_total: events.length,
    successes: events.filter(({ evidence }) => evidence.status === 'passed').length,
    failures: events.filter(isFailure).length,
    evidence_gaps: events.filter(({ evidence }) => evidence.status === 'evidence_gap').length,
  };
}

function viewOrNull(event: ValidationEvent | undefined): JsonObject | null {
  return event === undefined ? null : validationEventView(event);
}

/** The newest first. */
function listed(events: readonly ValidationEvent[]): readonly JsonObject[] {
  return events.slice(-MAX_LISTED_FAILURES).reverse().map(validationEventView);
}
