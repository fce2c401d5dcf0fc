import type { RunnerAnswer, RunnerCallOptions, RunnerPort } from '../../runner-link/index.js';
import type { JobMemory } from './job-memory.js';

/** How long a look at Jobs waits for a Runner that is away before the memory answers, in milliseconds. */
export const LOOK_WAITS_MS = 1_000;

/** What an answer is made of: the Runner, and the memory for what it cannot say. */
export interface MemoryParts {
  readonly runner: RunnerPort;
  readonly memory: JobMemory;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

export type LookOptions = Pick<RunnerCallOptions<never>, 'signal' | 'waitsMs'>;

/** Before any Runner was heard of there is nothing to recall, and the usual patience holds. */
export function looking({ memory }: Pick<MemoryParts, 'memory'>, options: LookOptions): LookOptions {
  return memory.lastSeen === null ? options : { ...options, waitsMs: LOOK_WAITS_MS };
}

/** Whether the Runner could not be asked, so that the memory speaks for it. */
export function isAway(answer: RunnerAnswer<unknown>): answer is Extract<RunnerAnswer<unknown>, { failure: unknown }> {
  return isFailureOf(answer, 'runner_unavailable');
}

/** Whether the Runner has no record of the Job. */
export function isUnknownJob(answer: RunnerAnswer<unknown>): boolean {
  return isFailureOf(answer, 'unknown_job');
}

function isFailureOf(answer: RunnerAnswer<unknown>, kind: string): boolean {
  return 'failure' in answer && answer.failure.output['error_kind'] === kind;
}
