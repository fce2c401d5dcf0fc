import type { ExecutionReport } from '../../protocol/runner/execution.js';
import type { StreamReport } from '../../protocol/runner/jobs.js';
import type { RemoteErrorCode, RemoteTermination } from '../../protocol/runner/ssh.js';
import type { SealedOutput } from '../output/index.js';
import type { ClassifiedEnd } from '../process/classify-end.js';
import type { Job } from './job.js';

/** All that is known of an execution when it is over. */
export interface ObservedExecution {
  readonly end: ClassifiedEnd;
  /** Wall clock, Unix milliseconds. */
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  /** Monotonic. */
  readonly durationMs: number;
  readonly cwd: string;
  readonly shell: 'sh' | 'bash' | null;
  /** Null when the output thread failed. */
  readonly sealed: SealedOutput | null;
  readonly descendantsEnded: number;
  readonly survivors: readonly number[];
  /** Of a remote execution only. */
  readonly remote?: { readonly termination: RemoteTermination | null; readonly errorCode: RemoteErrorCode | null };
}

/** Settles the Job of an execution that is over, and says how it ended. */
export function reportExecution(job: Job, observed: ObservedExecution): ExecutionReport {
  const { end, sealed, remote } = observed;
  const { termination = null, errorCode = null } = remote ?? {};
  const spoolFailure = sealed?.spoolFailure ?? null;
  job.change({
    status: end.status,
    executionState: end.state,
    failureKind: end.failureKind,
    toolFailure: end.toolFailure,
    exitCode: end.exitCode,
    signal: end.signal,
    finishedAtMs: observed.finishedAtMs,
    durationMs: observed.durationMs,
    cwd: observed.cwd,
    descendantsEnded: observed.descendantsEnded,
    outputIncomplete: sealed?.incomplete ?? true,
    survivorPids: observed.survivors,
    remoteTermination: termination,
    reason: errorCode ?? (spoolFailure === null ? null : `output_not_spooled: ${spoolFailure}`),
  });
  return {
    execution_id: job.identity.executionId,
    execution_state: end.state,
    failure_kind: end.failureKind,
    tool_failure: end.toolFailure,
    exit_code: end.exitCode,
    signal: end.signal,
    started_at_ms: observed.startedAtMs,
    finished_at_ms: observed.finishedAtMs,
    duration_ms: observed.durationMs,
    cwd: observed.cwd,
    shell: observed.shell,
    output_id: job.identity.outputId,
    stdout: job.shown(sealed?.stdout ?? NOTHING_KNOWN),
    stderr: job.shown(sealed?.stderr ?? NOTHING_KNOWN),
    descendants_ended: observed.descendantsEnded,
    output_incomplete: sealed?.incomplete ?? true,
    survivor_pids: [...observed.survivors],
    ...(termination === null ? {} : { remote_termination: termination }),
    ...(errorCode === null ? {} : { error_code: errorCode }),
  };
}

const NOTHING_KNOWN: StreamReport = {
  bytes: 0,
  lines: 0,
  dropped_bytes: 0,
  text: '',
  first_line: 1,
  last_line: 0,
  starts_mid_line: false,
  lossy: false,
  truncated: false,
};
