import type { z } from 'zod';
import { isErrorKind } from '../../protocol/error-kinds.js';
import type { RunnerMethod } from '../../protocol/runner/method.js';
import { refusalSchema } from '../../protocol/runner/project-root.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import type { RunnerAnswer } from './port.js';

/** How a request that was handed to a connection ended. */
export type Reply =
  | { readonly kind: 'answered'; readonly value: unknown }
  /** The request did not leave, or left in part: no Runner can have acted on it. */
  | { readonly kind: 'undelivered' }
  /** The request left and no answer came. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** The Runner does not know the request. */
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'broken'; readonly reason: string };

/**
 * What a reply means to the caller: a checked result, the Runner's refusal as it is, or
 * the failure that is true of a reply that never came. An effectful request whose
 * answer is missing may have had its effect, so its outcome is unknown and never "not
 * started".
 */
export function answerOf<Params extends z.ZodType, Result extends z.ZodType, Note extends z.ZodType>(
  method: RunnerMethod<Params, Result, Note>,
  reply: Reply,
): RunnerAnswer<z.output<Result>> {
  switch (reply.kind) {
    case 'answered':
      return checked(method, reply.value);
    case 'undelivered':
      return { failure: unavailable('it ended before the request reached it') };
    case 'lost':
      return { failure: lost(method.effectful, reply.reason) };
    case 'unsupported':
      return {
        failure: failure(
          'capability_unavailable',
          'The Runner is of an older version that does not know this request; it is replaced when its Jobs have ended, or at once by "wc daemon stop".',
          { state_changed: false },
        ),
      };
    case 'broken':
      return { failure: lost(method.effectful, reply.reason) };
  }
}

/** The failure of a request that no Runner has seen. */
export function unavailable(reason: string): Failure {
  return failure('runner_unavailable', `The Runner is not available: ${reason}. Nothing was started; try again.`, {
    state_changed: false,
  });
}

function lost(effectful: boolean, reason: string): Failure {
  if (effectful) {
    return failure('outcome_unknown', `${reason}: look at the state before you try again.`, { state_changed: null });
  }
  return failure('runner_unavailable', `${reason}; nothing was changed, try again.`, { state_changed: false });
}

function checked<Params extends z.ZodType, Result extends z.ZodType, Note extends z.ZodType>(
  method: RunnerMethod<Params, Result, Note>,
  value: unknown,
): RunnerAnswer<z.output<Result>> {
  const refusal = refusalSchema.safeParse(value);
  if (refusal.success) {
    const { error_kind: kind, message, detail } = refusal.data.refused;
    if (isErrorKind(kind)) return { failure: failure(kind, message, detail) };
    return { failure: failure('internal_error', message, { ...detail, runner_error_kind: kind }) };
  }
  const result = method.result.safeParse(value);
  if (result.success) return { answer: result.data };
  return { failure: lost(method.effectful, 'The Runner answered in a form that the daemon does not know') };
}
