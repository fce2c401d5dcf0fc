import type { z } from 'zod';
import type { RunnerMethod } from '../../protocol/runner/method.js';
import type { Failure } from '../../protocol/tool-result.js';

/** What the Runner said, or the failure that stands in for it as it is. */
export type RunnerAnswer<Result> =
  | { readonly answer: Result }
  /**
   * A refusal of the Runner, `runner_unavailable` when the request never reached one, or
   * `outcome_unknown` when an effectful request's answer was lost.
   */
  | { readonly failure: Failure };

export interface RunnerCallOptions<Note> {
  /** Aborting asks the Runner to cancel; the call still waits for its answer. */
  readonly signal?: AbortSignal;
  /** A flood of notes is held back until what this returns has settled; it never rejects. */
  readonly onNote?: (note: Note) => void | Promise<void>;
  /** How long the call waits for a Runner that is being reached or restarted, in milliseconds. */
  readonly waitsMs?: number;
  /** The call only follows the Runner: one that is to be replaced does not stay for it. */
  readonly background?: boolean;
}

/** What the daemon knows of the Runner that serves it now. */
export interface RunnerState {
  readonly pid: number;
  readonly instanceId: string;
  readonly version: string;
  readonly capabilities: readonly string[];
}

/** The daemon's way to the user's machine. */
export interface RunnerPort {
  call<Params extends z.ZodType, Result extends z.ZodType, Note extends z.ZodType>(
    method: RunnerMethod<Params, Result, Note>,
    params: z.input<Params>,
    options?: RunnerCallOptions<z.output<Note>>,
  ): Promise<RunnerAnswer<z.output<Result>>>;
  /** Null while no Runner is connected. */
  readonly state: RunnerState | null;
  /** Called whenever another instance has taken over, with the one that it replaced. */
  onInstance(listener: (now: RunnerState, replaced: RunnerState | null) => void): void;
}
