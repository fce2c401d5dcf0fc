import { decodeObservationToken, encodeObservationToken } from '../../protocol/observation-token.js';
import { observeJobsMethod, type JobCursor, type ObservedJob } from '../../protocol/runner/jobs.js';
import { failure, type Failure, type JsonObject } from '../../protocol/tool-result.js';
import type { CallContext } from '../kernel/call-context.js';
import type { ObservedJob as ConvergedJob } from '../kernel/telemetry-facts.js';
import { isTerminal, jobFacts, sliceFacts } from './job-facts.js';
import { unknownJob, visibleJob, type JobDeps } from './visible-job.js';
import { effectiveWaitSecs, waitSignal } from '../kernel/wait-bound.js';

export interface Observation {
  readonly items: readonly { readonly job_id: string; readonly after_observation_token?: string | undefined }[];
  readonly tailLines: number;
  readonly waitSecs: number;
  readonly wakeOn: 'change' | 'meaningful_change' | 'terminal' | 'all_terminal';
  readonly summaryOnly: boolean;
}

export interface Observed {
  readonly wakeReason: 'immediate' | 'item_error' | 'terminal' | 'updated' | 'timeout';
  readonly waitedMs: number;
  readonly effectiveWaitSecs: number;
  /** In input order; an item that failed says why, and fails no other. */
  readonly items: readonly JsonObject[];
  readonly converged: readonly ConvergedJob[];
  /** Whether every item was observed. */
  readonly complete: boolean;
}

/**
 * Observes Jobs once, with one shared wait (spec 03 §6). Nothing is started, stopped or
 * retried. An item whose Job or token is wrong is answered at once, and then nobody waits.
 */
export async function observe(deps: JobDeps, call: CallContext, wanted: Observation): Promise<Observed | { readonly failure: Failure }> {
  const checked = await Promise.all(wanted.items.map((item) => checkItem(deps, call, item)));
  // A Runner that can not be asked is no fault of an item.
  const unreachable = checked.find((item) => 'failure' in item && !ITEM_ERRORS.has(item.failure.output['error_kind']));
  if (unreachable !== undefined && 'failure' in unreachable) return { failure: unreachable.failure };
  const good = checked.filter((item): item is GoodItem => 'after' in item);
  const waitSecs = effectiveWaitSecs(wanted.waitSecs, call.answerWithinMs);
  const immediate = waitSecs === 0 || wanted.items.some((item) => item.after_observation_token === undefined);
  const wait = immediate || good.length < checked.length ? 0 : waitSecs;

  const observed = new Map<string, ObservedJob>();
  let wakeReason: Observed['wakeReason'] = 'item_error';
  let waitedMs = 0;
  if (good.length > 0) {
    const answer = await deps.runner.call(
      observeJobsMethod,
      {
        items: good.map(({ jobId, after, reset }) => ({ job_id: jobId, after, reset })),
        tail_lines: wanted.tailLines,
        wait_ms: wait * 1_000,
        wake_on: wanted.wakeOn,
      },
      { signal: waitSignal(call) },
    );
    if ('failure' in answer) return answer;
    for (const item of answer.answer.items) if (!('error_kind' in item)) observed.set(item.job.job_id, item);
    if (observed.size === checked.length) wakeReason = answer.answer.wake_reason;
    waitedMs = answer.answer.waited_ms;
  }
  return {
    wakeReason: immediate ? 'immediate' : wakeReason,
    waitedMs,
    effectiveWaitSecs: waitSecs,
    items: checked.map((item, index) => answerItem(deps, wanted, item, index, observed)),
    converged: [...observed.values()].map(({ job }) => ({
      job_id: job.job_id,
      ...(isTerminal(job) ? { failure: job.outcome !== 'succeeded', terminal_observed_at_ms: Date.now() } : {}),
    })),
    complete: observed.size === checked.length,
  };
}

const ITEM_ERRORS: ReadonlySet<unknown> = new Set(['unknown_job', 'invalid_observation_token']);

interface GoodItem {
  readonly jobId: string;
  readonly after: JobCursor | null;
  readonly reset: boolean;
}

type CheckedItem = GoodItem | { readonly jobId: string; readonly failure: Failure };

async function checkItem(
  deps: JobDeps,
  call: CallContext,
  { job_id: jobId, after_observation_token: token }: Observation['items'][number],
): Promise<CheckedItem> {
  const visible = await visibleJob(deps, jobId, call.principal);
  if ('failure' in visible) return { jobId, failure: visible.failure };
  if (token === undefined) return { jobId, after: null, reset: false };
  const decoded = decodeObservationToken(token);
  if (decoded?.jobId !== jobId) return { jobId, failure: invalidToken() };
  return { jobId, after: decoded.cursor, reset: decoded.epoch !== deps.epoch };
}

function invalidToken(): Failure {
  return failure('invalid_observation_token', 'That is no observation token of this Job; observe it without one.', { state_changed: false });
}

function answerItem(
  deps: JobDeps,
  wanted: Observation,
  item: CheckedItem,
  index: number,
  observed: ReadonlyMap<string, ObservedJob>,
): JsonObject {
  if ('failure' in item) return failedItem(index, item.jobId, item.failure);
  const seen = observed.get(item.jobId);
  if (seen === undefined) return failedItem(index, item.jobId, unknownJob(item.jobId));
  const unread = wanted.summaryOnly && { next_stdout_line: item.after?.next_stdout_line ?? 1, next_stderr_line: item.after?.next_stderr_line ?? 1 };
  return {
    index,
    success: true,
    ...jobFacts(seen.job),
    log_delta_status: seen.log_delta_status,
    ...(wanted.summaryOnly ? {} : { ...sliceFacts('stdout', seen.stdout), ...sliceFacts('stderr', seen.stderr) }),
    ...(seen.skipped_lines > 0 ? { skipped_lines: seen.skipped_lines } : {}),
    // Lines that a summary did not show stay unread.
    observation_token: encodeObservationToken({ jobId: item.jobId, epoch: deps.epoch, cursor: { ...seen.cursor, ...unread } }),
  };
}

function failedItem(index: number, jobId: string, { output, error }: Failure): JsonObject {
  return { index, success: false, job_id: jobId.slice(0, 80), error_kind: output['error_kind'] ?? 'internal_error', error };
}
