import { EXIT } from './exit-code.js';

/** Why a call got no ToolResult. */
export const CLIENT_ERROR_KINDS = {
  /** No daemon runs, and the caller did not want one started. */
  daemon_not_running: EXIT.noDaemon,
  /** A daemon was started and ended again, or did not listen within its bound. */
  daemon_start_failed: EXIT.noDaemon,
  /** Something holds the socket or the lock and gives no answer. */
  daemon_wedged: EXIT.noDaemon,
  /** The daemon is there and takes no call now. */
  daemon_unavailable: EXIT.noDaemon,
  /** The daemon ended before it took the call: nothing happened. */
  call_not_taken: EXIT.noDaemon,
  /** The connection ended before the answer: the call may have had its effect. */
  connection_lost: EXIT.noDaemon,
  /** The state folder belongs to somebody else, or others can write it. */
  state_folder_refused: EXIT.noDaemon,
  /** The answer is none that this client understands. */
  unexpected_answer: EXIT.noDaemon,
  /** The daemon refused the token. */
  invalid_token: EXIT.refused,
  /** The daemon refused the request's form: too large, malformed, no such route. */
  request_refused: EXIT.usage,
  /** The caller gave up waiting after its cancel stayed without an answer. */
  cancel_unanswered: EXIT.noDaemon,
} as const satisfies Record<string, number>;

export type ClientErrorKind = keyof typeof CLIENT_ERROR_KINDS;

/**
 * What stands in for a ToolResult that never came: one sentence saying what is
 * wrong, a hint saying what to do, and the exit code of a command that ends with it.
 */
export class ClientError extends Error {
  readonly kind: ClientErrorKind;
  readonly hint: string;
  readonly exitCode: number;

  constructor(kind: ClientErrorKind, message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ClientError';
    this.kind = kind;
    this.hint = hint;
    this.exitCode = CLIENT_ERROR_KINDS[kind];
  }
}
