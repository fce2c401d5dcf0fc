import type { CallRecord } from '../../kernel/ports.js';
import type { ObservedJob } from '../../kernel/telemetry-facts.js';
import { saturatedCount, wholeNumber } from './closed-values.js';
import { executionStateOf } from './failure-labels.js';
import { jobConvergenceFacts } from './job-convergence-facts.js';
import { jobRelation } from './job-relation.js';

const MAX_EVENTS = 9;

interface JobEvent {
  readonly kind: 'pending_handoff' | 'explicit_observe' | 'passive_terminal';
  readonly job: ObservedJob;
}

/**
 * How a call brings the story of Jobs forward: it handed one off, observed some, was told
 * of some that ended. Null for a call that has to do with none. A relation is made only
 * where every scope is known; a missing one makes the correlation incomplete, never a guess.
 */
export function jobConvergence(call: CallRecord, salt: Buffer): Record<string, unknown> | null {
  const facts = jobConvergenceFacts(call.outcomeFacts.telemetry);
  const handedOff = pendingHandoff(call);
  const waitsForEnd = call.facts?.telemetry === 'job_terminal_wait';
  if (!facts.told && handedOff === null && !waitsForEnd) return null;
  const events: readonly JobEvent[] = [
    ...(handedOff === null ? [] : [{ kind: 'pending_handoff', job: handedOff } as const]),
    ...facts.observed.map((job) => ({ kind: 'explicit_observe', job }) as const),
    ...facts.passive_terminal.map((job) => ({ kind: 'passive_terminal', job }) as const),
  ];
  const told = events.slice(0, MAX_EVENTS).flatMap((event) => projected(event, relationOf(call, event.job, salt)));
  return {
    pending_handoff_count: handedOff === null ? 0 : 1,
    passive_terminal_delivery_count: saturatedCount(facts.passive_terminal.length),
    passive_failure_delivery_count: saturatedCount(facts.passive_terminal.filter(({ failure }) => failure === true).length),
    wait_for_job_terminal_count: waitsForEnd ? 1 : 0,
    correlation_complete: facts.complete && told.length === events.length,
    events: told,
  };
}

/** The Job that goes on after this answer, when the call handed its work to one. */
function pendingHandoff(call: CallRecord): ObservedJob | null {
  const state = executionStateOf(call);
  const { jobId } = call.outcomeFacts;
  if (jobId === undefined || call.facts?.category === 'job') return null;
  return state === 'queued' || state === 'running' ? { job_id: jobId } : null;
}

function relationOf(call: CallRecord, job: ObservedJob, salt: Buffer): string | null {
  const { principal, window, project, session } = call;
  if (principal.userId === null || window === null || project === null || session === undefined || session === null) {
    return null;
  }
  return jobRelation(salt, {
    principalKind: principal.credential,
    principalId: principal.userId,
    windowKey: window,
    project,
    session,
    job: job.job_id,
  });
}

function projected({ kind, job }: JobEvent, relation: string | null): readonly Record<string, unknown>[] {
  if (relation === null) return [];
  const observedAt = wholeNumber(job.terminal_observed_at_ms);
  return [
    {
      kind,
      relation,
      ...(typeof job.failure === 'boolean' ? { failure: job.failure } : {}),
      ...(typeof job.validation_failure === 'boolean' ? { validation_failure: job.validation_failure } : {}),
      ...(observedAt === null ? {} : { terminal_observed_at_ms: observedAt }),
    },
  ];
}
