import { ClientError, type DaemonClient } from '../client/index.js';
import { HEADERS } from '../protocol/api.js';
import type { Catalog } from '../protocol/catalog.js';
import type { ErrorKind } from '../protocol/error-kinds.js';
import { failure, type Failure } from '../protocol/tool-result.js';
import type { Forward } from './forward.js';

export interface DaemonForwardParts {
  readonly clients: Readonly<Record<'legacy' | 'stateless', DaemonClient>>;
  readonly catalog: Catalog;
  /** Whether the client of this shim is gone; its calls are not cancelled then, they go on as Jobs. */
  readonly clientIsGone: () => boolean;
}

/**
 * Calls over the daemon's socket. The shim outlives any number of daemons: each call makes
 * sure of one, and what cannot be reached is a ToolResult that says what to do.
 */
export function daemonForward({ clients, catalog, clientIsGone }: DaemonForwardParts): Forward {
  const observing = new Set(catalog.tools.filter(({ effect }) => effect === 'observe').map(({ name }) => name));
  return async (call) => {
    const cancel = new AbortController();
    call.signal.addEventListener('abort', () => {
      if (!clientIsGone()) cancel.abort();
    });
    try {
      return await clients[call.era].callTool(
        call.tool,
        {
          arguments: call.arguments,
          ...(call.envelope === undefined ? {} : { _wc: call.envelope }),
          ...(call.recordingSessionId === null ? {} : { recording_session_id: call.recordingSessionId }),
        },
        {
          signal: cancel.signal,
          repeatable: observing.has(call.tool),
          headers: {
            [HEADERS.answerWithin]: String(call.answerWithinMs),
            ...(call.window === null ? {} : { [HEADERS.window]: headerValue(call.window) }),
          },
          ...(call.onProgress === null ? {} : { onProgress: call.onProgress }),
        },
      );
    } catch (error) {
      if (error instanceof ClientError) return unreachable(error);
      throw error;
    }
  };
}

/** A header holds visible ASCII; a value with anything else is no window in any case. */
function headerValue(window: string): string {
  return /^[\x20-\x7e]*$/.test(window) ? window : '';
}

function unreachable(error: ClientError): Failure {
  const unknown = error.kind === 'connection_lost' || error.kind === 'cancel_unanswered';
  const kind: ErrorKind = unknown
    ? 'outcome_unknown'
    : error.kind === 'request_refused'
      ? 'invalid_arguments'
      : 'daemon_unavailable';
  return failure(kind, `${error.message}${/[.!?]$/.test(error.message) ? ' ' : '; '}${error.hint}`, { state_changed: unknown ? null : false });
}
