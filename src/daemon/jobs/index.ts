import type { Domain } from '../domain.js';
import type { ProjectPort } from '../kernel/ports.js';
import type { RunnerPort } from '../runner-link/index.js';
import { DAEMON_EPOCH } from './daemon-epoch.js';
import { listJobs } from './tools/list-jobs.js';
import { observeJobs } from './tools/observe-jobs.js';
import { readJobOutput } from './tools/read-job-output.js';
import { readJobTail } from './tools/read-job-tail.js';
import { stopJob } from './tools/stop-job.js';
import { waitForJobReadiness } from './tools/wait-for-job-readiness.js';

export { DAEMON_EPOCH } from './daemon-epoch.js';
export { firstObservation, type FirstObservation } from './first-observation.js';
export { rememberJobs } from './remembered/index.js';
export { jobsSchema } from './schema.js';

/** The tools that watch, read and stop Jobs (spec 03 §6). None of them ever starts one. */
export function createJobsDomain({
  runner,
  projects,
  epoch = DAEMON_EPOCH,
}: {
  readonly runner: RunnerPort;
  readonly projects: Pick<ProjectPort, 'isVisible' | 'resolve'>;
  readonly epoch?: string;
}): Domain {
  const deps = { runner, projects, epoch };
  return {
    name: 'jobs',
    tools: [listJobs(deps), observeJobs(deps), waitForJobReadiness(deps), stopJob(deps), readJobTail(deps), readJobOutput(deps)],
  };
}
