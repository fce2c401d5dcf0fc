import type { ProjectId } from '../../protocol/ids.js';
import { getJobMethod, type JobView } from '../../protocol/runner/jobs.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import type { ProjectPort } from '../kernel/ports.js';
import type { Principal } from '../kernel/principal.js';
import type { RunnerPort } from '../runner-link/index.js';

export interface JobDeps {
  readonly runner: RunnerPort;
  readonly projects: Pick<ProjectPort, 'isVisible' | 'resolve'>;
  /** One life of the daemon, for observation tokens. */
  readonly epoch: string;
}

/** The answer to an id that names no Job, and to one that names a Job the caller may not see. */
export function unknownJob(jobId: string): Failure {
  return failure('unknown_job', 'No Job has that id, or its record is no longer kept; list_jobs names those that are.', {
    job_id: jobId.slice(0, 80),
    state_changed: false,
  });
}

export function maySee(deps: Pick<JobDeps, 'projects'>, job: { readonly project: string }, principal: Principal): boolean {
  return deps.projects.isVisible(job.project as ProjectId, principal);
}

/** A Job that the caller may see. Foreign and unknown ids answer alike (spec 03 §6). */
export async function visibleJob(
  deps: JobDeps,
  jobId: string,
  principal: Principal,
): Promise<{ readonly job: JobView } | { readonly failure: Failure }> {
  const answer = await deps.runner.call(getJobMethod, { job_id: jobId });
  if ('failure' in answer) {
    return answer.failure.output['error_kind'] === 'unknown_job' ? { failure: unknownJob(jobId) } : answer;
  }
  return maySee(deps, answer.answer.job, principal) ? answer.answer : { failure: unknownJob(jobId) };
}
