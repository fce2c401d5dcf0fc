import type { TransportError, TransportErrorKind } from '../../protocol/api.js';

/** The status of each refusal of the transport; a ToolResult always travels with 200. */
const STATUS: Readonly<Record<TransportErrorKind, number>> = {
  malformed_request: 400,
  invalid_token: 401,
  forbidden_origin: 403,
  no_such_route: 404,
  no_such_call: 404,
  method_not_allowed: 405,
  request_too_large: 413,
  too_many_in_flight: 429,
  internal_error: 500,
  shutting_down: 503,
  operator_only: 403,
  invalid_arguments: 400,
  token_name_taken: 409,
  token_limit_reached: 409,
  unknown_token: 404,
  storage_unavailable: 503,
  unknown_session: 404,
  ledger_not_empty: 409,
  ledger_import_in_progress: 409,
  ledger_document_rejected: 422,
};

/** A refusal of the transport itself, thrown by routes and answered by the server. */
export class TransportRefusal extends Error {
  constructor(
    readonly kind: TransportErrorKind,
    message: string,
    readonly hint: string,
  ) {
    super(message);
    this.name = 'TransportRefusal';
  }

  get status(): number {
    return STATUS[this.kind];
  }

  body(): TransportError {
    return { error: { kind: this.kind, message: this.message, hint: this.hint } };
  }
}
