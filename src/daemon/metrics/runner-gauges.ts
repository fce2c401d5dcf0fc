import { countsMethod } from '../../protocol/runner/counts.js';
import { listJobsMethod } from '../../protocol/runner/jobs.js';
import { JOB_STATUSES } from '../../protocol/execution-state.js';
import type { RunnerPort } from '../runner-link/port.js';
import type { Family, Sample } from './exposition.js';

/** As many Jobs as a Runner can be asked for. */
const MAX_JOBS = 2_000;
/** A scrape does not wait for a Runner that is being started. */
const WAITS_MS = 1_000;

/** What the Runner holds. One that does not answer has no numbers, and `wc_runner_up` 0. */
export async function runnerGauges(runner: RunnerPort): Promise<readonly Family[]> {
  const options = { waitsMs: WAITS_MS, background: true, signal: AbortSignal.timeout(WAITS_MS) };
  const [jobs, counts] = await Promise.all([
    runner.call(listJobsMethod, { status: null, project: null, session_id: null, limit: MAX_JOBS }, options),
    runner.call(countsMethod, {}, options),
  ]);
  const held = 'answer' in counts ? counts.answer : null;
  return [
    { name: 'wc_runner_up', type: 'gauge', help: 'Whether the Runner answers.', samples: [{ value: held === null ? 0 : 1 }] },
    {
      name: 'wc_jobs',
      type: 'gauge',
      help: 'Jobs that are known, by status.',
      samples: 'answer' in jobs ? JOB_STATUSES.map((status) => countOf(jobs.answer.jobs, status)) : [],
    },
    { name: 'wc_open_shells', type: 'gauge', help: 'Persistent shells that are open.', samples: held === null ? [] : [{ value: held.open_shells }] },
    {
      name: 'wc_ssh_connections',
      type: 'gauge',
      help: 'Connections to SSH resources that are kept open.',
      samples: held === null ? [] : [{ value: held.ssh_connections }],
    },
  ];
}

function countOf(jobs: readonly { readonly status: string }[], status: string): Sample {
  return { labels: { status }, value: jobs.filter((job) => job.status === status).length };
}
