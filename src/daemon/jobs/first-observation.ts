import { encodeObservationToken } from '../../protocol/observation-token.js';
import { observeJobsMethod, type JobView, type StreamSlice } from '../../protocol/runner/jobs.js';
import type { RunnerPort } from '../runner-link/index.js';

/** What a Job has said by now, and the token from which its observation goes on. */
export interface FirstObservation {
  readonly job: JobView;
  readonly token: string;
  readonly stdout: StreamSlice;
  readonly stderr: StreamSlice;
}

const TAIL_LINES = 200;

/** Looks at a Job for the first time, without waiting; null when it can not be seen. */
export async function firstObservation(
  { runner, epoch }: { readonly runner: RunnerPort; readonly epoch: string },
  jobId: string,
): Promise<FirstObservation | null> {
  const answer = await runner.call(observeJobsMethod, {
    items: [{ job_id: jobId, after: null, reset: false }],
    tail_lines: TAIL_LINES,
    wait_ms: 0,
    wake_on: 'change',
  });
  const item = 'answer' in answer ? answer.answer.items[0] : undefined;
  if (item === undefined || 'error_kind' in item) return null;
  const { job, cursor, stdout, stderr } = item;
  return { job, stdout, stderr, token: encodeObservationToken({ jobId, epoch, cursor }) };
}
