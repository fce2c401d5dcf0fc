import type { Socket } from 'node:net';
import {
  createMessageConnection,
  ProgressType,
  SocketMessageReader,
  SocketMessageWriter,
  type CancellationToken,
  type MessageConnection,
} from 'vscode-jsonrpc/node.js';
import { refusalSchema, type Refusal } from '../protocol/runner/project-root.js';
import { wireRequestSchema } from '../protocol/runner/wire-request.js';
import { refuse, type RunnerRequest, type RunnerService } from './request.js';

/** Notes of one request that may wait for a slow daemon before `note` says so. */
const NOTE_BACKLOG = 16;

const notes = new ProgressType<unknown>();

export interface ServedConnection {
  /** Settles when the connection is over, whoever ended it. */
  readonly ended: Promise<void>;
  /** Ends the connection after what was written has left. */
  end(): void;
}

export interface ServedConnectionOptions {
  readonly socket: Socket;
  readonly services: readonly RunnerService[];
  /** Why a request of this connection is not served now, or null. Asked for every request but those of `always`. */
  readonly refusal: () => Refusal | null;
  /** Requests that are served in any state: hello and shutdown. */
  readonly always: readonly RunnerService[];
  readonly onFault: (fault: { readonly method: string; readonly error: unknown }) => void;
}

/** Serves the requests of one daemon connection until it ends. */
export function serveConnection(options: ServedConnectionOptions): ServedConnection {
  const { socket } = options;
  const connection = createMessageConnection(new SocketMessageReader(socket), new SocketMessageWriter(socket));
  const gone = new AbortController();
  const ended = new Promise<void>((resolve) => {
    const finish = (): void => {
      gone.abort();
      connection.dispose();
      socket.destroy();
      resolve();
    };
    connection.onClose(finish);
    // A frame that cannot be read leaves nothing to go on with.
    connection.onError(finish);
    socket.once('close', finish);
  });

  const context = { connection, gone: gone.signal, onFault: options.onFault };
  for (const service of options.always) register(context, service, () => null);
  for (const service of options.services) register(context, service, options.refusal);
  connection.listen();
  return { ended, end: () => socket.end() };
}

interface ConnectionContext {
  readonly connection: MessageConnection;
  readonly gone: AbortSignal;
  readonly onFault: ServedConnectionOptions['onFault'];
}

function register(
  context: ConnectionContext,
  service: RunnerService,
  refusal: ServedConnectionOptions['refusal'],
): void {
  const { method } = service;
  context.connection.onRequest(method.name, async (raw: unknown, token: CancellationToken) => {
    const refused = refusal();
    if (refused !== null) return refused;
    const envelope = wireRequestSchema.safeParse(raw);
    const params = envelope.success ? method.params.safeParse(envelope.data.params) : envelope;
    if (!envelope.success || !params.success) {
      context.onFault({ method: method.name, error: params.error });
      return refuse('internal_error', 'The Runner did not understand the daemon; nothing was started.', {
        state_changed: false,
      });
    }
    const request = requestOf(context, method, envelope.data.call, envelope.data.notes, token);
    try {
      const answer = await service.handle(params.data, request);
      const refusalAnswer = refusalSchema.safeParse(answer);
      return refusalAnswer.success ? refusalAnswer.data : method.result.parse(answer);
    } catch (error) {
      context.onFault({ method: method.name, error });
      return faultAnswer(method);
    }
  });
}

/** A handler that failed unexpectedly: what it had done by then is not known. */
function faultAnswer({ effectful }: RunnerService['method']): Refusal {
  return effectful
    ? refuse('outcome_unknown', 'The Runner failed while it worked: look at the state before you try again.', {
        state_changed: null,
      })
    : refuse('internal_error', 'The Runner failed while it answered; its log says why.');
}

function requestOf(
  { connection, gone }: ConnectionContext,
  method: RunnerService['method'],
  call: number,
  wantsNotes: boolean,
  token: CancellationToken,
): RunnerRequest<unknown> {
  const cancel = new AbortController();
  if (token.isCancellationRequested) cancel.abort();
  token.onCancellationRequested(() => cancel.abort());
  let waiting = 0;
  let lastNote: Promise<void> = Promise.resolve();
  return {
    signal: cancel.signal,
    disconnected: gone,
    note: (note) => {
      if (!wantsNotes || gone.aborted) return true;
      waiting += 1;
      const left = (): void => {
        waiting -= 1;
      };
      // A note whose connection broke is lost with it; `disconnected` tells the handler.
      lastNote = connection.sendProgress(notes, call, method.note.parse(note)).then(left, left);
      return waiting < NOTE_BACKLOG;
    },
    drained: () => lastNote,
  };
}
