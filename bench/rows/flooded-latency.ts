import { beginWork } from '../project.js';
import { peakMegabytes } from '../resident-memory.js';
import type { Row } from '../row.js';
import { percentile } from '../statistics.js';
import { timed, type Way } from '../take-turns.js';
import type { BenchDaemon } from '../world.js';

const JOBS = 64;
const COMMAND = 'yes 0123456789abcdef | head -c 104857600';
/** The flood counts as one while at least this many Jobs still print. */
const STILL_FLOODING = 48;
const SAMPLES_BETWEEN_LOOKS = 25;
/** What the Runner may hold in memory meanwhile; the output itself goes to its spool. */
const PEAK_MEGABYTES = 300;

/** Whether floods of output slow the calls of others. */
export const floodedLatency: Row = {
  name: 'flooded-latency',
  what: `call latency while ${JOBS} Jobs print 100 MB each, over idle`,
  measure: async ({ daemon, repository }) => {
    const ours = await daemon({ config: { runner: { max_concurrent_jobs: JOBS } } });
    const { project, session } = await beginWork(ours, await repository());
    const call: Way = async () => {
      await ours.call('list_projects', {}, { recording_session_id: session });
    };
    for (let round = 0; round < 500; round += 1) await call();
    const idle = await sample(call, 1_000);
    const flooded: number[] = [];
    const peak = await peakMegabytes(await runnerPid(ours), async () => {
      for (let job = 0; job < JOBS; job += 1) await ours.call('run_job', { project, command: COMMAND });
      while ((await activeJobs(ours)) >= STILL_FLOODING) flooded.push(...(await sample(call, SAMPLES_BETWEEN_LOOKS)));
    });
    if (flooded.length < 100) throw new Error(`the flood was over after ${flooded.length} calls`);
    return [
      { label: 'p50', ours: percentile(flooded, 0.5), baseline: percentile(idle, 0.5), budget: 2 },
      { label: 'p99', ours: percentile(flooded, 0.99), baseline: percentile(idle, 0.99), budget: 5 },
      { label: "the Runner's peak", value: peak, unit: 'MB', budget: PEAK_MEGABYTES },
    ];
  },
};

async function sample(call: Way, count: number): Promise<number[]> {
  const samples: number[] = [];
  for (let taken = 0; taken < count; taken += 1) samples.push(await timed(call));
  return samples;
}

async function runnerPid(daemon: BenchDaemon): Promise<number> {
  const { runner } = (await daemon.call('get_runtime_status', {})) as { runner?: { pid?: unknown } };
  if (typeof runner?.pid !== 'number') throw new Error('the daemon has no Runner');
  return runner.pid;
}

async function activeJobs(daemon: BenchDaemon): Promise<number> {
  const { jobs } = (await daemon.call('list_jobs', { limit: 100 })) as { jobs?: readonly { status?: unknown }[] };
  if (jobs === undefined) throw new Error('list_jobs gave no jobs');
  return jobs.filter(({ status }) => status === 'running').length;
}
