import type { ErrorKind } from '../../protocol/error-kinds.js';
import type { FailureKind } from '../../protocol/execution-state.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { Json } from '../../protocol/tool-result.js';
import { refuse } from '../request.js';

/** A refusal that says for sure that nothing was started. */
export function notStarted(
  kind: ErrorKind,
  failureKind: FailureKind,
  message: string,
  detail: Record<string, Json> = {},
): Refusal {
  return refuse(kind, message, {
    ...detail,
    execution_state: 'not_started',
    command_started: false,
    state_changed: false,
    failure_kind: failureKind,
  });
}

/** The refusal of an execution that was cancelled before its process existed. */
export function cancelledBeforeStart(): Refusal {
  return notStarted('cancelled', 'cancelled', 'The call was cancelled before the command was started.');
}

/** The refusal of an execution for one of whose streams nothing could be set up. */
export function streamUnavailable(stream: 'standard input' | 'output', error: unknown): Refusal {
  const why = error instanceof Error ? error.message : String(error);
  return notStarted('not_started', 'runtime_error', `The command's ${stream} could not be set up: ${why}`);
}
