import type { z } from 'zod';
import type { RunnerMethod } from '../protocol/runner/method.js';
import type { Refusal } from '../protocol/runner/project-root.js';
import type { ErrorKind } from '../protocol/error-kinds.js';
import type { Json } from '../protocol/tool-result.js';

/** What a Runner handler may know of the request around it. */
export interface RunnerRequest<Note> {
  /** Aborted when the daemon cancels the request. */
  readonly signal: AbortSignal;
  /**
   * Aborted when the daemon's connection ended before the answer: the answer reaches
   * nobody any more, but nobody asked to cancel either (spec 00, decision 25).
   */
  readonly disconnected: AbortSignal;
  /**
   * Tells the daemon something while the request runs. False means that whoever listens
   * behind the daemon is behind: a sender of floods waits for `drained` then.
   */
  readonly note: (note: Note) => boolean;
  /** Settles when most of the notes sent so far were taken, or when the connection ended. */
  readonly drained: () => Promise<void>;
}

export type RunnerHandler<Params extends z.ZodType, Result extends z.ZodType, Note extends z.ZodType> = (
  params: z.output<Params>,
  request: RunnerRequest<z.input<Note>>,
) => Promise<z.input<Result> | Refusal>;

/** One request that the Runner serves. */
export interface RunnerService {
  readonly method: RunnerMethod<z.ZodType, z.ZodType, z.ZodType>;
  readonly handle: (params: unknown, request: RunnerRequest<unknown>) => Promise<unknown>;
}

/** Binds a request of the wire to its handler. */
export function serve<Params extends z.ZodType, Result extends z.ZodType, Note extends z.ZodType>(
  method: RunnerMethod<Params, Result, Note>,
  handle: RunnerHandler<Params, Result, Note>,
): RunnerService {
  return { method, handle: handle as RunnerService['handle'] };
}

/** A refusal: what the daemon turns into a failed ToolResult as it stands. */
export function refuse(kind: ErrorKind, message: string, detail: Record<string, Json> = {}): Refusal {
  return { refused: { error_kind: kind, message, detail } };
}

/** Tells a refusal from the value that it stands in for. */
export function isRefusal(value: object): value is Refusal {
  return Object.hasOwn(value, 'refused');
}
