import type { z } from 'zod';
import { awaitJobsMethod, type JobView } from '../../../protocol/runner/jobs.js';
import type { RunnerAnswer } from '../../runner-link/index.js';
import { isAway, looking, type LookOptions, type MemoryParts } from './memory-parts.js';

type AwaitParams = z.output<typeof awaitJobsMethod.params>;
type AwaitAnswer = z.output<typeof awaitJobsMethod.result>;

/** Waits for Jobs, those included that only the memory knows; the wait outlives the Runner's absence. */
export async function awaitRemembered(
  parts: MemoryParts,
  params: AwaitParams,
  options: LookOptions,
): Promise<RunnerAnswer<AwaitAnswer>> {
  const { memory, now, runner } = parts;
  const startedAt = now();
  for (;;) {
    const waited = Math.round(now() - startedAt);
    const ended = params.job_ids.flatMap((jobId) => memory.find(jobId) ?? []).flatMap(({ job }) => (job.outcome === null ? [] : [job]));
    const live = params.job_ids.filter((jobId) => ended.every(({ job_id }) => job_id !== jobId));
    const isReached = live.length === 0 || (params.mode === 'any' && ended.length > 0);
    const left = isReached ? 0 : Math.max(0, params.wait_ms - waited);
    if (live.length === 0) return { answer: answerOf(params, ended, null, waited) };
    const answer = await runner.call(awaitJobsMethod, { ...params, job_ids: live, wait_ms: left }, looking(parts, options));
    if ('answer' in answer) return { answer: answerOf(params, ended, answer.answer, waited) };
    // Of an id that the memory does not know either, nobody can say whether it is a Job's.
    if (!isAway(answer) || live.some((jobId) => memory.find(jobId) === null)) return answer;
    if (left === 0 || options.signal?.aborted === true) return { answer: answerOf(params, ended, null, waited) };
    await memory.changes(left, options.signal);
  }
}

/** The ready ones of memory and Runner together, in the caller's order. */
function answerOf({ job_ids: jobIds, mode }: AwaitParams, ended: readonly JobView[], told: AwaitAnswer | null, waitedBefore: number): AwaitAnswer {
  const ready = new Map([...ended.map(readyJob), ...(told?.ready ?? [])].map((one) => [one.job_id, one]));
  const isReady = mode === 'any' ? ready.size > 0 : ready.size === jobIds.length;
  return {
    wait_state: isReady ? 'ready' : 'deadline',
    waited_ms: waitedBefore + (told?.waited_ms ?? 0),
    ready: jobIds.flatMap((jobId) => ready.get(jobId) ?? []),
    pending_job_ids: jobIds.filter((jobId) => !ready.has(jobId)),
  };
}

function readyJob(job: JobView): AwaitAnswer['ready'][number] {
  return { job_id: job.job_id, status: job.status, outcome: job.outcome, ready_reason: 'terminal' };
}
