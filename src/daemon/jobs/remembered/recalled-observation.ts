import type { z } from 'zod';
import { observeJobsMethod, type JobCursor, type ObservedJob, type StreamCounts, type StreamSlice } from '../../../protocol/runner/jobs.js';
import type { RunnerAnswer } from '../../runner-link/index.js';
import type { JobMemory, KnownJob } from './job-memory.js';
import { isAway, looking, type LookOptions, type MemoryParts } from './memory-parts.js';

type ObserveParams = z.output<typeof observeJobsMethod.params>;
type ObserveAnswer = z.output<typeof observeJobsMethod.result>;
type AskedItem = ObserveParams['items'][number];
type WakeReason = ObserveAnswer['wake_reason'];

/**
 * Observes Jobs of which the Runner may have no record any more, or which it cannot be
 * asked about. A wait outlives the Runner's absence: it ends at its own deadline.
 */
export async function observeRemembered(
  parts: MemoryParts,
  params: ObserveParams,
  options: LookOptions,
): Promise<RunnerAnswer<ObserveAnswer>> {
  const { memory, now, runner } = parts;
  const startedAt = now();
  const ended = params.items.filter(({ job_id }) => memory.isReceiptOnly(job_id));
  const live = params.items.filter((item) => !ended.includes(item));
  const endIsNews = params.wake_on !== 'all_terminal' && ended.some((item) => isNewEnd(memory.find(item.job_id), item));
  for (;;) {
    const waited = Math.round(now() - startedAt);
    const left = endIsNews ? 0 : Math.max(0, params.wait_ms - waited);
    if (live.length > 0) {
      const answer = await runner.call(observeJobsMethod, { ...params, items: live, wait_ms: left }, looking(parts, options));
      if ('answer' in answer) return { answer: completed(memory, params, answer.answer, waited, endIsNews) };
      if (!isAway(answer)) return answer;
    }
    const known = params.items.map(({ job_id }) => memory.find(job_id));
    const wakeReason = wakeReasonOf(params, known);
    if (left === 0 || wakeReason !== 'timeout' || options.signal?.aborted === true) {
      const items = params.items.map((item, index) => itemOf(item, known[index] ?? null));
      return { answer: { wake_reason: wakeReason, waited_ms: waited, items } };
    }
    await memory.changes(left, options.signal);
  }
}

/** The Runner's answer, with what it had forgotten, and with the ends that were final before. */
function completed(
  memory: JobMemory,
  params: ObserveParams,
  answer: ObserveAnswer,
  waitedBefore: number,
  endIsNews: boolean,
): ObserveAnswer {
  const told = new Map(answer.items.map((item) => ['job' in item ? item.job.job_id : item.job_id, item]));
  const items = params.items.map((asked) => {
    const item = told.get(asked.job_id);
    if (item !== undefined && 'job' in item) return { ...item, job: memory.settled(item.job) };
    return itemOf(asked, memory.find(asked.job_id));
  });
  const wasForgotten = answer.wake_reason === 'item_error' && items.every((item) => 'job' in item);
  const isEnd = wasForgotten || (endIsNews && answer.wake_reason !== 'immediate' && answer.wake_reason !== 'item_error');
  return { wake_reason: isEnd ? 'terminal' : answer.wake_reason, waited_ms: answer.waited_ms + waitedBefore, items };
}

function itemOf(asked: AskedItem, known: KnownJob | null): ObserveAnswer['items'][number] {
  return known === null ? { job_id: asked.job_id, error_kind: 'unknown_job' } : recalledItem(known, asked);
}

/** A Job of which no output can be shown now; what the observer had not seen of it stays unread. */
function recalledItem({ job, instance }: KnownJob, { after, reset }: AskedItem): ObservedJob {
  const continued = after !== null && !reset && after.instance === instance;
  const cursor: JobCursor = {
    instance,
    update_seq: job.update_seq,
    next_stdout_line: continued ? after.next_stdout_line : 1,
    next_stderr_line: continued ? after.next_stderr_line : 1,
  };
  const status = after === null && !reset ? 'baseline' : continued ? 'unchanged' : 'reset';
  return { job, log_delta_status: status, stdout: nothingOf(job.stdout), stderr: nothingOf(job.stderr), skipped_lines: 0, cursor };
}

/** A slice behind everything that the stream is known to have carried, so that nobody takes it for the whole. */
function nothingOf({ lines }: StreamCounts): StreamSlice {
  return { text: '', first_line: lines + 1, last_line: lines, starts_mid_line: false, lossy: false };
}

/** Why an observer is answered from memory, in the order of spec 03 §6; `timeout` when there is something to wait for. */
function wakeReasonOf({ items, wait_ms: waitMs, wake_on: wakeOn }: ObserveParams, known: readonly (KnownJob | null)[]): WakeReason {
  if (waitMs === 0 || items.some(({ after }) => after === null)) return 'immediate';
  if (known.includes(null)) return 'item_error';
  if (known.every((one) => one !== null && one.job.outcome !== null)) return 'terminal';
  return wakeOn !== 'all_terminal' && items.some((item, index) => isNewEnd(known[index] ?? null, item)) ? 'terminal' : 'timeout';
}

/** Whether a Job has ended and its observer has not seen that. */
function isNewEnd(known: KnownJob | null, { after }: AskedItem): boolean {
  if (known === null || known.job.outcome === null) return false;
  return after === null || after.instance !== known.instance || after.update_seq < known.job.update_seq;
}
