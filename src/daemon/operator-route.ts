import type { TransportError, TransportErrorKind } from '../protocol/api.js';
import type { Principal } from './kernel/principal.js';

/** What an operator route answers: an HTTP status and a JSON document. */
export interface OperatorAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> | TransportError;
}

/**
 * A route beside the tools, for the operator of the daemon alone. A domain exports
 * its routes, the server mounts them; the caller was admitted by then.
 */
export interface OperatorRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: (body: unknown, principal: Principal) => Promise<OperatorAnswer>;
  /** What it answers to a body that is no JSON, where that is not the transport's own error. */
  readonly malformedBody?: OperatorAnswer;
}

/** The error document of every operator route. */
export function operatorError(
  status: number,
  kind: TransportErrorKind,
  message: string,
  hint: string,
): OperatorAnswer {
  return { status, body: { error: { kind, message, hint } } };
}
