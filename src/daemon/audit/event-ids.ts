import type { CallRecord } from '../kernel/ports.js';
import { jobConvergenceFacts } from './ergonomics/job-convergence-facts.js';

/** The ids that stand beside an event; none of them gives any authority (spec 05 §10). */
export interface EventIds {
  readonly permission_request_id?: string;
  /** The Job that a Job tool was about. */
  readonly job_id?: string;
  /** The Job that an execution was handed to. */
  readonly async_job_id?: string;
  readonly observed_job_ids?: readonly string[];
  /** The closed session that was asked for and is never reopened. */
  readonly requested_action_session_id?: string;
}

const PERMISSION_ID = /^wc_perm_[A-Za-z0-9_-]{1,64}$/;
const JOB_ID = /^[A-Za-z0-9._-]{1,80}$/;
const MAX_OBSERVED = 8;

/** Ids of the server's own making; whatever a client sent under these names is dropped. */
export function eventIds(call: CallRecord): EventIds {
  const { permissionRequestId, outcomeFacts, facts } = call;
  const job = outcomeFacts.jobId !== undefined && JOB_ID.test(outcomeFacts.jobId) ? outcomeFacts.jobId : null;
  const observed = jobConvergenceFacts(outcomeFacts.telemetry)
    .observed.map(({ job_id }) => job_id)
    .filter((id) => JOB_ID.test(id))
    .slice(0, MAX_OBSERVED);
  return {
    ...(permissionRequestId !== null && PERMISSION_ID.test(permissionRequestId)
      ? { permission_request_id: permissionRequestId }
      : {}),
    ...(job === null ? {} : facts?.category === 'job' ? { job_id: job } : { async_job_id: job }),
    ...(observed.length === 0 ? {} : { observed_job_ids: observed }),
  };
}

/** The distinct Jobs that the ids of an event name, read from a stored document of any age. */
export function jobIdsOf(ids: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const jobs = new Set<string>();
  for (const member of ['job_id', 'job_ids', 'async_job_id', 'observed_job_ids']) {
    const value = ids[member];
    for (const id of Array.isArray(value) ? value : [value]) {
      if (typeof id === 'string' && id !== '') jobs.add(id);
    }
  }
  return jobs;
}
