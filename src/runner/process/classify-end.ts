import type { ExecutionState, FailureKind, JobStatus } from '../../protocol/execution-state.js';
import type { ProcessExit } from './spawn-child.js';

/** Who ended an execution before its program did; the first one counts. */
export type EndCause = 'timeout' | 'cancelled' | 'stopped' | 'shutdown';

export interface ObservedEnd {
  /** Null when the end of the process was not seen. */
  readonly exit: ProcessExit | null;
  /** Null when the program ended by itself. */
  readonly cause: EndCause | null;
  /** Whether its output could be drained and all of it be accounted for. */
  readonly accounted: boolean;
}

/** What an execution came to, in the closed vocabularies of spec 03 §2. */
export interface ClassifiedEnd {
  readonly state: Extract<ExecutionState, 'completed' | 'timed_out' | 'cancelled' | 'outcome_unknown'>;
  readonly status: Extract<JobStatus, 'completed' | 'failed' | 'timed_out' | 'stopped' | 'lost'>;
  readonly failureKind: Extract<FailureKind, 'command_exit_nonzero' | 'timeout' | 'cancelled' | 'outcome_unknown'> | null;
  readonly toolFailure: boolean;
  /** -1 for a death by signal. */
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** What an end that was observed means. */
export function classifyEnd({ exit, cause, accounted }: ObservedEnd): ClassifiedEnd {
  const exitCode = exit === null ? null : (exit.code ?? -1);
  const signal = exit?.signal ?? null;
  if (exit === null || !accounted) {
    return { state: 'outcome_unknown', status: 'lost', failureKind: 'outcome_unknown', toolFailure: true, exitCode, signal };
  }
  switch (cause) {
    case 'timeout':
      return { state: 'timed_out', status: 'timed_out', failureKind: 'timeout', toolFailure: false, exitCode, signal };
    case 'cancelled':
    case 'stopped':
    case 'shutdown':
      return { state: 'cancelled', status: 'stopped', failureKind: 'cancelled', toolFailure: false, exitCode, signal };
    case null:
      return exitCode === 0
        ? { state: 'completed', status: 'completed', failureKind: null, toolFailure: false, exitCode, signal }
        : { state: 'completed', status: 'failed', failureKind: 'command_exit_nonzero', toolFailure: false, exitCode, signal };
  }
}
