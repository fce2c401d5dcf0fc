import type { z } from 'zod';

/**
 * One request of the daemon to the Runner. Both sides check both shapes, so that
 * the closed vocabularies hold on either end of the wire.
 */
export interface RunnerMethod<Params extends z.ZodType, Result extends z.ZodType, Note extends z.ZodType> {
  readonly name: string;
  readonly params: Params;
  readonly result: Result;
  /** What the Runner may tell while the request runs (output, progress). */
  readonly note: Note;
  /** Whether the request may start or change something, so that a lost answer is `outcome_unknown`. */
  readonly effectful: boolean;
}

/** Declares a request of the Runner wire; the declaration is shared by both ends. */
export function runnerMethod<Params extends z.ZodType, Result extends z.ZodType, Note extends z.ZodType>(
  method: RunnerMethod<Params, Result, Note>,
): RunnerMethod<Params, Result, Note> {
  return method;
}

/** The version of the wire; a Runner of another version serves its Jobs to the end and is replaced. */
export const RUNNER_WIRE_VERSION = 1;
