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
import { NOTE_TAKEN, noteTakenSchema, wireRequestSchema } from '../protocol/runner/wire-request.js';
import { NotesUnderWay } from './notes-under-way.js';
import { refuse, type RunnerRequest, type RunnerService } from './request.js';

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
  const underWay = new Map<number, NotesUnderWay>();
  const ended = new Promise<void>((resolve) => {
    const finish = (): void => {
      gone.abort();
      for (const notesOfCall of underWay.values()) notesOfCall.end();
      connection.dispose();
      socket.destroy();
      resolve();
    };
    connection.onClose(finish);
    // A frame that cannot be read leaves nothing to go on with.
    connection.onError(finish);
    socket.once('close', finish);
  });

  connection.onNotification(NOTE_TAKEN, (raw: unknown) => {
    const taken = noteTakenSchema.safeParse(raw);
    if (taken.success) underWay.get(taken.data.call)?.taken();
  });
  const context = { connection, underWay, gone: gone.signal, onFault: options.onFault };
  for (const service of options.always) register(context, service, () => null);
  for (const service of options.services) register(context, service, options.refusal);
  connection.listen();
  return { ended, end: () => socket.end() };
}

interface ConnectionContext {
  readonly connection: MessageConnection;
  /** The notes of every request that is served, by its number. */
  readonly underWay: Map<number, NotesUnderWay>;
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
    } finally {
      context.underWay.get(envelope.data.call)?.end();
      context.underWay.delete(envelope.data.call);
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
  { connection, underWay, gone }: ConnectionContext,
  method: RunnerService['method'],
  call: number,
  wantsNotes: boolean,
  token: CancellationToken,
): RunnerRequest<unknown> {
  const cancel = new AbortController();
  if (token.isCancellationRequested) cancel.abort();
  token.onCancellationRequested(() => cancel.abort());
  const own = new NotesUnderWay();
  underWay.set(call, own);
  return {
    signal: cancel.signal,
    disconnected: gone,
    note: (note) => {
      if (!wantsNotes || gone.aborted) return true;
      // A note whose connection broke is lost with it; `disconnected` tells the handler.
      connection.sendProgress(notes, call, method.note.parse(note)).catch(() => undefined);
      return own.sent();
    },
    drained: () => own.drained(),
  };
}
