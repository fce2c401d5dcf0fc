import type { ToolResult } from './tool-result.js';

/** The body of `POST /api/tools/{name}` (DESIGN: the socket API). */
export interface ToolCallBody {
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** The recorder of older clients; `_wc.record` is the other form, never both. */
  readonly recording_session_id?: string;
  readonly _wc?: unknown;
  /** Acknowledgements of callers without `_wc`: message ids, or the `ack_ref` of an earlier answer. */
  readonly ack_session_message_ids?: readonly string[];
  readonly ack_ref?: string;
  /** The caller's environment: plain socket only, for this one execution, never kept. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * A FIFO of the caller's own that a program is to read as its standard input while it
   * comes (absolute path); plain socket only, for this one execution, never kept.
   */
  readonly stdin_pipe?: string;
}

/** One line of an `application/x-ndjson` answer. */
export type StreamLine =
  | { readonly progress: Progress }
  | { readonly result: ToolResult };

/** What a call reports while it runs. */
export type Progress =
  /** `base64` holds the very bytes where they are no UTF-8 and `text` is lossy. */
  | { readonly stream: 'stdout' | 'stderr'; readonly text: string; readonly base64?: string }
  | { readonly message: string };

/** Headers of the socket API, all lower case. */
export const HEADERS = {
  authorization: 'authorization',
  /** The raw value of a host's window, hashed at once. */
  window: 'x-wc-window',
  /** The caller's own UUID of this call. */
  callId: 'x-wc-call-id',
  /** Who speaks: `cli`, `mcp_legacy` or `mcp_2026`; anything else is `http`. */
  adapter: 'x-wc-adapter',
  /** The version of the client. */
  version: 'x-wc-version',
  /** The bound on this call's answer in milliseconds, for callers that give up; MCP's default is 45,000. */
  answerWithin: 'x-wc-answer-within-ms',
  auditSession: 'x-action-session-id',
  auditSessionAlias: 'x-webcodex-session-id',
} as const;

/** Refusals of the transport itself, before a kernel answered. */
export type TransportErrorKind =
  | 'malformed_request'
  | 'invalid_token'
  | 'forbidden_origin'
  | 'no_such_route'
  | 'no_such_call'
  | 'method_not_allowed'
  | 'request_too_large'
  | 'too_many_in_flight'
  | 'shutting_down'
  | 'internal_error'
  // operator routes
  | 'operator_only'
  | 'invalid_arguments'
  | 'token_name_taken'
  | 'token_limit_reached'
  | 'unknown_token'
  | 'storage_unavailable'
  | 'unknown_session'
  | 'ledger_not_empty'
  | 'ledger_import_in_progress'
  | 'ledger_document_rejected';

export interface TransportError {
  readonly error: { readonly kind: TransportErrorKind; readonly message: string; readonly hint: string };
}

/** The answer of `GET /api/health`. */
export interface Health {
  readonly status: 'ok' | 'shutting_down';
  readonly version: string;
  readonly pid: number;
  readonly started_at: string;
  /** Tool calls under way, so that a newer client knows whether it may replace an older daemon. */
  readonly calls_in_flight: number;
  readonly runner: { readonly pid: number; readonly instance_id: string; readonly version: string } | null;
  /** Why a store can not be written now, null where it can; a daemon of an older version says nothing of it. */
  readonly stores?: { readonly ledger: string | null; readonly audit: string | null };
}

/** The largest request body, in bytes (spec 04: an edit is at most 1 MiB; room for escapes). */
export const MAX_REQUEST_BYTES = 8 * 1024 * 1024;
