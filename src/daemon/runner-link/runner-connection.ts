import { connect, type Socket } from 'node:net';
import {
  CancellationTokenSource,
  createMessageConnection,
  ErrorCodes,
  ProgressType,
  ResponseError,
  SocketMessageReader,
  SocketMessageWriter,
  type Message,
  type MessageConnection,
} from 'vscode-jsonrpc/node.js';
import { NOTE_TAKEN, type WireRequest } from '../../protocol/runner/wire-request.js';
import type { Reply } from './answer-of.js';

const notes = new ProgressType<unknown>();

export interface WireCallOptions {
  /** Aborting asks the Runner to cancel; the answer is still waited for. */
  readonly signal?: AbortSignal | undefined;
  /** Settles when the note was taken: the Runner holds a flood back until then. */
  readonly onNote?: ((note: unknown) => void | Promise<void>) | undefined;
  /** Not counted as in flight. */
  readonly background?: boolean | undefined;
}

/** Connects to a Runner's socket; rejects as `net.connect` does. */
export function openRunnerConnection(socketPath: string): Promise<RunnerConnection> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(new RunnerConnection(socket));
    });
  });
}

/** One connection to one Runner. Every request on it ends in exactly one reply. */
export class RunnerConnection {
  /** Settles when the connection is over, whoever ended it. */
  readonly ended: Promise<void>;
  private readonly connection: MessageConnection;
  private readonly writer: DeliveryWriter;
  private readonly pending = new Map<number, (reply: Reply) => void>();
  private readonly background = new Set<number>();
  private lastCall = 0;
  private over = false;

  constructor(private readonly socket: Socket) {
    this.writer = new DeliveryWriter(socket);
    this.connection = createMessageConnection(new SocketMessageReader(socket), this.writer);
    this.ended = new Promise((resolve) => {
      const finish = (): void => {
        if (this.over) return;
        this.over = true;
        for (const call of this.writer.leaving) this.settle(call, { kind: 'undelivered' });
        this.abandon('The Runner ended before it answered');
        this.connection.dispose();
        socket.destroy();
        resolve();
      };
      this.connection.onClose(finish);
      this.connection.onError(finish);
      socket.once('close', finish);
    });
    this.connection.listen();
  }

  get isOver(): boolean {
    return this.over;
  }

  /** Requests that wait for their reply, without those in the background. */
  get inFlight(): number {
    return this.pending.size - this.background.size;
  }

  request(method: string, params: unknown, { signal, onNote, background = false }: WireCallOptions = {}): Promise<Reply> {
    if (this.over) return Promise.resolve({ kind: 'undelivered' });
    const call = ++this.lastCall;
    const cancel = signal === undefined ? null : cancelWith(signal);
    const listening = onNote === undefined ? null : this.connection.onProgress(notes, call, (note) => void this.passOn(call, note, onNote));
    const envelope: WireRequest = { call, notes: onNote !== undefined, params };
    return new Promise<Reply>((resolve) => {
      this.pending.set(call, resolve);
      if (background) this.background.add(call);
      const sent =
        cancel === null
          ? this.connection.sendRequest(method, envelope)
          : this.connection.sendRequest(method, envelope, cancel.token);
      sent.then(
        (value) => this.settle(call, { kind: 'answered', value }),
        (error: unknown) => this.settle(call, replyOfError(error)),
      );
    }).finally(() => {
      listening?.dispose();
      cancel?.dispose();
    });
  }

  /** Gives every waiting request its reply now; an answer that comes later is dropped. */
  abandon(reason: string): void {
    for (const call of [...this.pending.keys()]) this.settle(call, { kind: 'lost', reason });
  }

  end(): void {
    this.socket.end();
  }

  /** Hands a note on, and tells the Runner when it was taken. */
  private async passOn(call: number, note: unknown, onNote: NonNullable<WireCallOptions['onNote']>): Promise<void> {
    await onNote(note);
    if (!this.over && this.pending.has(call)) await this.connection.sendNotification(NOTE_TAKEN, { call });
  }

  private settle(call: number, reply: Reply): void {
    const resolve = this.pending.get(call);
    this.pending.delete(call);
    this.background.delete(call);
    resolve?.(reply);
  }
}

function replyOfError(error: unknown): Reply {
  if (!(error instanceof ResponseError)) return { kind: 'broken', reason: 'The Runner could not be asked' };
  switch (error.code) {
    case ErrorCodes.MethodNotFound:
      return { kind: 'unsupported' };
    case ErrorCodes.PendingResponseRejected:
      return { kind: 'lost', reason: 'The Runner ended before it answered' };
    default:
      return { kind: 'broken', reason: 'The Runner failed while it answered' };
  }
}

function cancelWith(signal: AbortSignal): { token: CancellationTokenSource['token']; dispose: () => void } {
  const source = new CancellationTokenSource();
  const onAbort = (): void => source.cancel();
  if (signal.aborted) source.cancel();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    token: source.token,
    dispose: () => {
      signal.removeEventListener('abort', onAbort);
      source.dispose();
    },
  };
}

/**
 * Knows which requests have not left whole: a message that the kernel did not take
 * completely cannot have been read by a Runner. It never rejects, since the library
 * would turn that into an unhandled rejection; the broken socket ends the connection.
 */
class DeliveryWriter extends SocketMessageWriter {
  readonly leaving = new Set<number>();

  override async write(message: Message): Promise<void> {
    const { params } = message as Message & { readonly params?: Partial<WireRequest> };
    const call = params?.call;
    if (call !== undefined) this.leaving.add(call);
    try {
      await super.write(message);
      if (call !== undefined) this.leaving.delete(call);
    } catch {
      // It stays in `leaving` until the connection, which is over now, settles it.
    }
  }
}
