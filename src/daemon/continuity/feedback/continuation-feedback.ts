import type { JsonObject } from '../../../protocol/tool-result.js';
import type { SessionSnapshot } from '../../sessions/index.js';
import {
  attemptBoundary,
  changedPaths,
  finishedCalls,
  isCheck,
  lastContentChange,
  latestStatus,
  plainChecks,
  plainChecksView,
  validationDelta,
  validationSummary,
  type AttemptBoundary,
  type FinishedCall,
} from '../../validation/index.js';
import type { JobAggregate } from '../evidence/job-aggregate.js';
import { activity, isActionableFailure, type Activity } from './activity.js';
import { exploration } from './exploration.js';
import { nextActions } from './next-actions.js';
import { openFailures, type OpenFailure } from './open-failures.js';

const EXCERPT_CHARACTERS = 500;
const MAX_CHANGES = 100;
const MAX_OPEN_FAILURES = 20;

/** How many explored paths a start shows (spec 06 §7.3). */
export const STARTUP_EXPLORATION = 12;
/** How many explored paths the full feedback shows. */
export const FULL_EXPLORATION = 100;

/** A fresh Session has no previous attempt (spec 00, decision 48). */
export const FRESH_FEEDBACK: JsonObject = { status: 'not_applicable', reason_code: 'fresh_session' };

/**
 * What the latest attempt of a Session left behind (spec 06 §7): a pure projection of
 * one snapshot and one list of Jobs. It runs, reads and writes nothing, and blocks
 * whose source is not known say so.
 */
export function continuationFeedback(
  snapshot: SessionSnapshot,
  jobs: JobAggregate,
  view: { readonly explorationLimit: number; readonly atStartup: boolean },
): JsonObject {
  const boundary = attemptBoundary(snapshot);
  const all = finishedCalls(snapshot);
  const calls = all.filter(({ sequence }) => sequence >= boundary.startSequence);
  const done = activity(calls);
  const explored = exploration(calls, boundary.complete, view.explorationLimit);
  const failing = openFailures(calls, MAX_OPEN_FAILURES);
  const paths = changedPaths(calls);
  const unchecked = needsCheck(calls);
  return {
    status: boundary.source === 'unavailable' ? 'unknown' : 'available',
    ...(boundary.reasonCode === null ? {} : { reason_code: boundary.reasonCode }),
    attempt: {
      boundary: { source: boundary.source, ...(boundary.reasonCode === null ? {} : { reason_code: boundary.reasonCode }) },
      event_range: eventRange(boundary),
      instruction: instructionBlock(boundary),
      activity: { ...done },
      changes: { paths: paths.slice(0, MAX_CHANGES), total: paths.length, truncated: paths.length > MAX_CHANGES },
      exploration: { ...explored },
      validation: validationBlock(snapshot, calls, failing),
      jobs: jobsBlock(jobs),
      guidance: { status: 'unavailable', reason_code: 'guidance_unavailable' },
      outcome: outcomeBlock(done, jobs, unchecked),
    },
    suggested_next_actions: nextActions({
      openFailures: failing,
      otherFailures: calls.filter((call) => isActionableFailure(call) && !isCheck(call.event)).length,
      jobs,
      needsCheck: unchecked,
      exploration: view.atStartup ? explored : null,
    }),
    deterministic: true,
    llm_summary: false,
  };
}

/** Whether content changed and no check that decides something provably started since. */
export function needsCheck(calls: readonly FinishedCall[]): boolean {
  const lastChange = lastContentChange(calls);
  if (lastChange === null) return false;
  return !calls.some(
    ({ event, verdict, startSequence }) =>
      isCheck(event) && DECIDED.has(verdict) && startSequence !== null && startSequence > lastChange,
  );
}

const DECIDED: ReadonlySet<FinishedCall['verdict']> = new Set(['passed', 'unexpected_success', 'failure', 'mismatch']);

/** How the attempt stands on validation; the failures that are open in it, whatever checked them. */
function validationBlock(snapshot: SessionSnapshot, calls: readonly FinishedCall[], failing: readonly OpenFailure[]): JsonObject {
  const summary = validationSummary(snapshot, calls);
  const latest = summary.events.at(-1);
  const { comparison } = validationDelta(summary.events);
  return {
    latest_status: latestStatus(summary.events),
    ...(summary.reason === null ? {} : { reason_code: summary.reason }),
    latest_kind: latest?.evidence.kind ?? null,
    latest_at: latest?.event.finished_at ?? null,
    unresolved_failures: failing.length,
    evidence_gaps: summary.events.filter(({ evidence }) => evidence.status === 'evidence_gap').length,
    stale: summary.current.status === 'stale',
    open_failures: failing.map((failure) => ({ ...failure })),
    delta_available: comparison.status === 'available',
    ...(comparison.reason_code === undefined ? {} : { delta_reason_code: comparison.reason_code }),
    checks_outside_validators: plainChecksView(plainChecks(calls)),
  };
}

function eventRange({ events, startSequence, endSequence, complete }: AttemptBoundary): JsonObject {
  return {
    start_event_id: events[0]?.event_id ?? null,
    end_event_id: events.at(-1)?.event_id ?? null,
    start_sequence: startSequence,
    end_sequence: endSequence,
    event_count: events.length,
    complete,
  };
}

function instructionBlock({ instruction }: AttemptBoundary): JsonObject {
  if (instruction?.instruction === undefined) return { status: 'not_observed' };
  const characters = [...instruction.instruction];
  return {
    status: 'available',
    excerpt: characters.slice(0, EXCERPT_CHARACTERS).join(''),
    truncated: characters.length > EXCERPT_CHARACTERS,
    recorded_at: instruction.timestamp,
    mode: instruction.requested_mode ?? null,
    previous_mode: instruction.previous_mode ?? null,
    resumed: instruction.previous_mode !== undefined,
  };
}

/** The Jobs as outputs show them. */
export function jobsBlock(jobs: JobAggregate): JsonObject {
  if (jobs.status === 'unavailable') return { status: 'unavailable', reason_code: jobs.reasonCode, recovery_state: 'unknown' };
  return {
    status: 'available',
    active_count: jobs.activeCount,
    running_count: jobs.runningCount,
    recovering_count: jobs.recoveringCount,
    terminal_pending_count: jobs.terminalPendingCount,
    unsuccessful_count: jobs.unsuccessfulCount,
    latest_job_status: jobs.latestStatus,
    recovery_state:
      jobs.recoveringCount > 0
        ? 'recovering'
        : jobs.terminalPendingCount > 0
          ? 'terminal_pending'
          : jobs.activeCount > 0
            ? 'active'
            : 'none',
  };
}

function outcomeBlock(done: Activity, jobs: JobAggregate, unchecked: boolean): JsonObject {
  const recovering = jobs.status === 'available' && jobs.recoveringCount > 0;
  const reasons = [
    ...(done.unresolved_failures > 0 ? ['unresolved_validation_failures'] : []),
    ...(done.actionable_failed_calls > done.unresolved_failures ? ['failed_tool_calls'] : []),
    ...(recovering ? ['jobs_recovering'] : []),
    ...(jobs.status === 'available' && jobs.terminalPendingCount > 0 ? ['jobs_terminal_pending'] : []),
    ...(unchecked ? ['validation_not_run'] : []),
  ];
  return { status: done.unresolved_failures > 0 || recovering ? 'blocked' : 'in_progress', reasons };
}
