import type { Agent, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Health, Progress, ToolCallBody } from '../protocol/api.js';
import { HEADERS } from '../protocol/api.js';
import type { ToolResult } from '../protocol/tool-result.js';
import { VERSION } from '../protocol/version.js';
import { nameBreak, notTaken } from './broken-connection.js';
import { cancelWhenAborted } from './cancel-when-aborted.js';
import { ClientError } from './client-error.js';
import { ensureDaemon, findDaemon, wedged } from './ensure-daemon.js';
import { exchange } from './exchange.js';
import { ProofOfLife } from './proof-of-life.js';
import { readPlainAnswer, readToolAnswer } from './read-answer.js';
import type { PlainAnswer } from './read-answer.js';
import type { ClientState } from './state.js';
import { watchWhileWaiting } from './watch-while-waiting.js';
import type { WatchParts } from './watch-while-waiting.js';

export type { PlainAnswer } from './read-answer.js';

export interface CallOptions {
  /** Further headers, lower case (`x-wc-window`, `x-action-session-id`, …). */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Aborting is an explicit cancel: the daemon is told, and the promise settles with the
   * cancelled call's own ToolResult, or rejects with `cancel_unanswered` after a bound.
   */
  readonly signal?: AbortSignal;
  /** Asks for the answer as a stream, and gets output and messages as they come. */
  readonly onProgress?: (progress: Progress) => void | Promise<void>;
  /** The caller's own UUID of this call; made up when a `signal` needs one. */
  readonly callId?: string;
  /**
   * The call only observes: it is sent once more when its daemon vanished, and not preceded by
   * a question for health when the daemon answered within the last second. Default false.
   */
  readonly repeatable?: boolean;
}

/** One user's daemon, however often it is replaced. */
export interface DaemonClient {
  /** The state folder that it is the daemon of. */
  readonly stateFolder: string;
  /** The daemon's socket at this moment, or null while nothing names one. */
  readonly socket: string | null;
  /** A daemon that answers: found, started or replaced. */
  ensure(): Promise<Health>;
  /** The daemon that runs, or null; starts and replaces nothing. Throws `daemon_wedged`. */
  find(): Promise<Health | null>;
  /** Ends the daemon that runs, and waits until it is gone; what it was, or null when none ran. */
  stop(): Promise<Health | null>;
  /** `POST /api/tools/{name}`; the ToolResult, also when the tool said no. Throws ClientError. */
  callTool(name: string, body: ToolCallBody, options?: CallOptions): Promise<ToolResult>;
  /** A request of any other route, answered in JSON whatever its status. Throws ClientError. */
  request(method: 'GET' | 'POST', path: string, body?: unknown): Promise<PlainAnswer>;
  /**
   * A request whose body or answer is too large to be held, or whose answer is no JSON: a
   * `POST` with `body` as JSON or as a stream, a `GET` without one; `take` reads the answer,
   * whatever its status. Throws ClientError when the
   * connection breaks before `take` is done, else what `take` throws.
   */
  transfer<Answer>(path: string, body: object | Readable | null, take: (answer: IncomingMessage) => Promise<Answer>): Promise<Answer>;
  /** `POST /api/calls/{id}/cancel`; whether the call was still there to cancel. */
  cancel(callId: string): Promise<boolean>;
  /** Lets go of idle connections. */
  close(): void;
}

export interface DaemonClientParts {
  readonly state: ClientState;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly adapter: string;
  readonly token: string | null;
  readonly autostart: boolean;
  readonly notice: (line: string) => void;
  readonly agent: Agent;
}

/** How often one call is tried while daemons end under it. */
const MAX_ATTEMPTS = 3;

export function createDaemonClient(parts: DaemonClientParts): DaemonClient {
  const headers: Record<string, string> = {
    [HEADERS.adapter]: parts.adapter,
    [HEADERS.version]: VERSION,
    ...(parts.token === null ? {} : { [HEADERS.authorization]: `Bearer ${parts.token}` }),
  };
  const ensure = (): Promise<Health> => ensureDaemon({ ...parts, headers });
  const find = (): Promise<Health | null> => findDaemon({ ...parts, headers });
  const proof = new ProofOfLife(() => performance.now());

  const cancel = async (callId: string): Promise<boolean> => {
    const answer = await request('POST', `/api/calls/${callId}/cancel`, {});
    return answer.status === 200;
  };

  const request = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<PlainAnswer> => {
    await ensure();
    return send(async (socketPath, signal) => {
      const response = await exchange({
        socketPath,
        method,
        path,
        headers,
        agent: parts.agent,
        signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return readPlainAnswer(response);
    });
  };

  const transfer = async <Answer>(
    path: string,
    body: object | Readable | null,
    take: (answer: IncomingMessage) => Promise<Answer>,
  ): Promise<Answer> => {
    await ensure();
    const outcome = await send(async (socketPath, signal) => {
      const sent = body === null ? {} : body instanceof Readable ? { upload: body } : { body: JSON.stringify(body) };
      // A connection of its own: whoever breaks off reading leaves it in no state to be used again.
      const answer = await exchange({ socketPath, method: body === null ? 'GET' : 'POST', path, headers, signal, ...sent });
      try {
        return { taken: await take(answer) };
      } catch (error) {
        if (answer.errored !== null) throw error;
        return { failed: error };
      }
    });
    if ('failed' in outcome) throw outcome.failed;
    return outcome.taken;
  };

  /** Runs one exchange under watch, and gives its breaking off a name. */
  const send = async <Answer>(
    run: (socketPath: string, signal: AbortSignal) => Promise<Answer>,
    { givenUp, askedFirst = true }: { readonly givenUp?: Promise<ClientError> | undefined; readonly askedFirst?: boolean } = {},
  ): Promise<Answer> => {
    const socketPath = parts.state.socket();
    if (socketPath === null) throw notTaken();
    const connection = new AbortController();
    const waiting = new AbortController();
    const endings: Promise<Answer>[] = [
      run(socketPath, connection.signal),
      rejectWhenSilent({ socket: parts.state.socket, headers, signal: waiting.signal, askedFirst }, parts.state),
    ];
    if (givenUp) endings.push(givenUp.then((error) => Promise.reject(error), () => new Promise<never>(() => undefined)));
    try {
      const answer = await Promise.race(endings);
      proof.answered();
      return answer;
    } catch (error) {
      proof.doubt();
      connection.abort();
      throw nameBreak(error);
    } finally {
      waiting.abort();
    }
  };

  const callOnce = async (name: string, body: ToolCallBody, options: CallOptions): Promise<ToolResult> => {
    const askedFirst = options.repeatable !== true || !proof.isFresh;
    if (askedFirst) await ensure();
    const { signal, onProgress } = options;
    const callId = options.callId ?? (signal ? newCallId() : null);
    const onCancel = signal && callId !== null ? cancelWhenAborted(signal, () => cancel(callId)) : null;
    try {
      return await send(
        async (socketPath, connection) => {
          const response = await exchange({
            socketPath,
            method: 'POST',
            path: `/api/tools/${encodeURIComponent(name)}`,
            headers: {
              ...headers,
              ...(onProgress ? { accept: 'application/x-ndjson' } : {}),
              ...(callId === null ? {} : { [HEADERS.callId]: callId }),
              ...options.headers,
            },
            body: JSON.stringify(body),
            agent: parts.agent,
            signal: connection,
          });
          return readToolAnswer(response, onProgress ?? (() => undefined));
        },
        { givenUp: onCancel?.givenUp, askedFirst },
      );
    } finally {
      onCancel?.dispose();
    }
  };

  return {
    stateFolder: parts.state.paths.folder,
    get socket() {
      return parts.state.socket();
    },
    ensure,
    find,
    stop: async () => {
      const health = await find();
      if (health === null) return null;
      const { stopDaemon } = await import('./stop-daemon.js');
      await stopDaemon({ state: parts.state, headers }, health.pid);
      return health;
    },
    request,
    transfer,
    cancel,
    callTool: async (name, body, options = {}) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await callOnce(name, body, options);
        } catch (error) {
          if (attempt >= MAX_ATTEMPTS || options.signal?.aborted || !mayRepeat(error, options)) throw error;
        }
      }
    },
    close: () => parts.agent.destroy(),
  };
}

/** Most calls need no name of their own, and the module is a large one. */
function newCallId(): string {
  return process.getBuiltinModule('node:crypto').randomUUID();
}

/** Only what surely had no effect is sent again by itself. */
function mayRepeat(error: unknown, options: CallOptions): boolean {
  if (!(error instanceof ClientError)) return false;
  return error.kind === 'call_not_taken' || (error.kind === 'connection_lost' && options.repeatable === true);
}

async function rejectWhenSilent(watch: WatchParts, state: ClientState): Promise<never> {
  const reason = await watchWhileWaiting(watch);
  // The watch was ended because the answer is there: this promise has lost its race.
  if (reason === null) return new Promise<never>(() => undefined);
  throw wedged(state, reason);
}
