import { JOB_STATUSES, jobOutcome } from '../../protocol/execution-state.js';
import { listJobsMethod, type JobView } from '../../protocol/runner/jobs.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import type { ResolvedProject } from '../kernel/call-context.js';
import type { RunnerPort } from '../runner-link/port.js';
import type { Material } from './material.js';

const BOUND_MS = 5_000;
const JOBS_SHOWN_MAX = 8;
const ACTIVE = JOB_STATUSES.filter((status) => jobOutcome(status) === null);

/** `jobs.attention`: the project's active Jobs, newest first; no Session is chosen by it. */
export async function jobsAttention(runner: RunnerPort, project: ResolvedProject): Promise<Material> {
  const signal = AbortSignal.timeout(BOUND_MS);
  const listed = await Promise.all(
    ACTIVE.map((status) => runner.call(listJobsMethod, { status, project: project.id, session_id: null, limit: JOBS_SHOWN_MAX }, { signal })),
  );
  const jobs: JobView[] = [];
  let total = 0;
  for (const one of listed) {
    if ('failure' in one) return { reason: 'jobs_observation_incomplete' };
    jobs.push(...one.answer.jobs);
    total += one.answer.matched;
  }
  jobs.sort((one, other) => other.created_at_ms - one.created_at_ms);
  const shown = jobs.slice(0, JOBS_SHOWN_MAX).map(jobFacts);
  return { projection: { active_jobs: shown, active_total: total, truncated: shown.length < total } };
}

/** What tells a Job from another: no command, no output. */
function jobFacts({ job_id, status, source, purpose, session_id, created_at_ms }: JobView): JsonObject {
  return { job_id, status, source, purpose, session_id, created_at_ms };
}
