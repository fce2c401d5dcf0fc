import type { ServerResponse } from 'node:http';
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

/** One request of a stream route. */
export interface StreamRequest {
  /** The parsed body, where the route takes JSON. */
  readonly body: unknown;
  /** The body as it comes, where the route takes a stream; leaving it early ends no connection. */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly principal: Principal;
  readonly response: ServerResponse;
}

/** A route whose body or answer is too large to be held, is no JSON, or which ends with its caller. */
export interface StreamRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** A `GET` takes nothing. */
  readonly takes: 'json' | 'stream' | 'nothing';
  /** What it answers to a body that is no JSON, where that is not the transport's own error. */
  readonly malformedBody?: OperatorAnswer;
  /** An answer for the server to send; null when the route has written its own. */
  readonly serve: (request: StreamRequest) => Promise<OperatorAnswer | null>;
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
