import type { ProjectId } from '../../protocol/ids.js';
import { JOB_STATUSES, jobOutcome } from '../../protocol/execution-state.js';
import { listJobsMethod } from '../../protocol/runner/jobs.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import type { RunnerPort } from '../runner-link/port.js';

const MAX_NAMED = 8;

const ACTIVE = JOB_STATUSES.filter((status) => jobOutcome(status) === null);

/**
 * Refuses while Jobs of a project are active. When the Runner cannot say, that is
 * its failure and not the absence of Jobs.
 */
export async function refuseWithActiveJobs(
  runner: RunnerPort,
  project: ProjectId,
  signal: AbortSignal,
): Promise<Failure | null> {
  const active: string[] = [];
  for (const status of ACTIVE) {
    const listed = await runner.call(
      listJobsMethod,
      { status, project, session_id: null, limit: MAX_NAMED },
      { signal },
    );
    if ('failure' in listed) return listed.failure;
    active.push(...listed.answer.jobs.map(({ job_id }) => job_id));
  }
  if (active.length === 0) return null;
  return failure('project_jobs_active', `${project} has active Jobs; stop them or wait for their end`, {
    project,
    job_ids: active.slice(0, MAX_NAMED),
    state_changed: false,
  });
}
