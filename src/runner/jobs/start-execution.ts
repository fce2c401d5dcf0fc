import type { z } from 'zod';
import type { ExecutionReport, startExecutionMethod } from '../../protocol/runner/execution.js';
import type { JobView } from '../../protocol/runner/jobs.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { OutputThread } from '../output/index.js';
import { isRefusal, type RunnerRequest } from '../request.js';
import type { Admitted, ExecutionEngine } from './execution-engine.js';
import { cancelledBeforeStart } from './not-started.js';
import type { ExecutionRequest } from './prepare-execution.js';

/** What came first: the report of the end, or the view of the Job that it has become. */
type StartOutcome =
  | { readonly outcome: 'finished'; readonly report: ExecutionReport }
  | { readonly outcome: 'handed_off'; readonly job: JobView };
type StartRequest = RunnerRequest<z.input<typeof startExecutionMethod.note>>;

/**
 * Starts an execution and waits for whichever comes first: its end, its hand-off, or
 * its publication (spec 03 §5). Whoever stops waiting never stops the process, except by
 * an explicit cancel (spec 00, decision 25).
 */
export async function startExecution(
  engine: ExecutionEngine,
  output: OutputThread,
  params: ExecutionRequest,
  request: StartRequest,
): Promise<StartOutcome | Refusal> {
  if (request.signal.aborted) return cancelledBeforeStart();
  const cancelled = (): void => {
    const job = engine.inventory.findActive(params.execution_id);
    if (job !== null && !job.isPublished) engine.cancel(job, 'cancelled');
  };
  const vanished = (): void => {
    const job = engine.inventory.findActive(params.execution_id);
    if (job !== null) engine.publish(job, true);
  };
  request.signal.addEventListener('abort', cancelled);
  request.disconnected.addEventListener('abort', vanished);
  try {
    const admitted = await engine.admit(params);
    if (isRefusal(admitted)) return admitted;
    if (params.stream_output && params.mode === 'foreground' && admitted.job.output !== null) {
      output.listen(admitted.job.output, {
        onText: (stream, live) => request.note({ stream, ...live }),
        drained: () => request.drained(),
      });
    }
    return await outcome(engine, admitted, params.hand_off_after_ms);
  } finally {
    request.signal.removeEventListener('abort', cancelled);
    request.disconnected.removeEventListener('abort', vanished);
  }
}

/** The end of the execution, or the Job that it has become. */
async function outcome(engine: ExecutionEngine, { job, running }: Admitted, handOffAfterMs: number | null): Promise<StartOutcome> {
  // What was a Job from the beginning is answered as one, even when it has ended by now.
  if (job.isPublished || running === null) return { outcome: 'handed_off', job: engine.view(job) };
  const timer = handOffAfterMs === null ? null : setTimeout(() => engine.publish(job, false), handOffAfterMs);
  try {
    const report = await Promise.race([running.ended, publication(job)]);
    return report === null ? { outcome: 'handed_off', job: engine.view(job) } : { outcome: 'finished', report };
  } finally {
    if (timer !== null) clearTimeout(timer);
  }
}

function publication(job: Admitted['job']): Promise<null> {
  return new Promise((resolve) => {
    const forget = job.onChange(() => {
      if (!job.isPublished) return;
      forget();
      resolve(null);
    });
  });
}
