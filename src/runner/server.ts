import { createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { z } from 'zod';
import { RUNNER_WIRE_VERSION } from '../protocol/runner/method.js';
import type { Refusal } from '../protocol/runner/project-root.js';
import { helloMethod, shutdownMethod } from '../protocol/runner/session.js';
import { IDLE_END_MS, IdleEnd } from './idle-end.js';
import { fileIdentity, listenPrivately } from './private-socket.js';
import { refuse, serve, type RunnerService } from './request.js';
import { serveConnection, type ServedConnection } from './serve-connection.js';

/** How often a Runner without a daemon looks whether it may end. */
const IDLE_CHECK_MS = 5_000;
/** All that the services may take to end, before the process ends with whatever is left (spec 03 §12). */
const SHUTDOWN_WITHIN_MS = 12_000;
/** What the answer to a shutdown gets to leave, before the process may exit. */
const ANSWER_LEAVES_MS = 50;

export interface RunnerServerOptions {
  /** The requests that this Runner serves, beside hello and shutdown. */
  readonly services: readonly RunnerService[];
  readonly socketPath: string;
  readonly identity: RunnerIdentity;
  /** What keeps a Runner without a daemon alive, and what an old version must serve to its end. */
  readonly activity: () => { readonly activeJobs: number; readonly openShells: number };
  /** Ends every child and frees what the services hold; called once. */
  readonly shutdown: (reason: string) => Promise<{ readonly ended_jobs: number }>;
  /** Unexpected failures of handlers and connections, for the Runner's log. */
  readonly onFault: (fault: { readonly method: string; readonly error: unknown }) => void;
  /** Milliseconds without a daemon, a Job and a shell after which the Runner ends. */
  readonly idleEndMs?: number;
  readonly idleCheckMs?: number;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** What hello answers: who this Runner is. */
export interface RunnerIdentity {
  readonly version: string;
  readonly instanceId: string;
  /** Wall clock, Unix milliseconds. */
  readonly startedAtMs: number;
  readonly stateFolder: string;
  readonly capabilities: readonly string[];
}

export interface RunnerServer {
  /** Settles with the reason after the services were shut down; the process may exit then. */
  readonly ended: Promise<string>;
  /** The orderly end from inside, as on a signal. */
  end(reason: string): Promise<void>;
}

/**
 * Serves the Runner's requests on its private socket (spec 03 §12).
 *
 * One daemon is served at a time: the one whose hello came last. A daemon that
 * vanishes changes nothing; its successor finds the same Jobs. Without any, the Runner
 * ends ten minutes after its last Job or shell.
 *
 * @throws SocketInUseError when another Runner answers on the socket
 */
export async function serveRunner(options: RunnerServerOptions): Promise<RunnerServer> {
  const serving = new Serving(options);
  await serving.listen();
  return serving;
}

class Serving implements RunnerServer {
  readonly ended: Promise<string>;
  private settleEnded: (reason: string) => void = () => undefined;
  private readonly server = createServer({ noDelay: true }, (socket) => this.accept(socket));
  private current: ServedConnection | null = null;
  private ending: Promise<{ readonly ended_jobs: number }> | null = null;
  private idleTimer: NodeJS.Timeout | null = null;
  private socketIdentity: string | null = null;

  constructor(private readonly options: RunnerServerOptions) {
    this.ended = new Promise((resolve) => {
      this.settleEnded = resolve;
    });
  }

  async listen(): Promise<void> {
    const { socketPath, idleEndMs = IDLE_END_MS, idleCheckMs = IDLE_CHECK_MS } = this.options;
    this.socketIdentity = await listenPrivately(this.server, socketPath);
    const { now = () => performance.now() } = this.options;
    const idle = new IdleEnd(idleEndMs);
    this.idleTimer = setInterval(() => {
      const { activeJobs, openShells } = this.options.activity();
      if (idle.isDue({ daemonConnected: this.current !== null, active: activeJobs + openShells, now: now() })) {
        void this.end('idle');
      }
    }, idleCheckMs);
  }

  async end(reason: string): Promise<void> {
    await this.shutDown(reason);
    this.close(reason);
  }

  private accept(socket: Socket): void {
    const always = [
      serve(helloMethod, (params) => {
        // A daemon of another wire or another state folder gets to know who is here, and nothing more.
        const { stateFolder } = this.options.identity;
        if (params.wire_version === RUNNER_WIRE_VERSION && params.state_folder === stateFolder) this.promote(connection);
        return Promise.resolve(this.hello());
      }),
      serve(shutdownMethod, async ({ reason }) => {
        const { ended_jobs } = await this.shutDown(reason);
        void setTimeout(ANSWER_LEAVES_MS).then(() => this.close(reason));
        return { ended_jobs };
      }),
    ];
    const connection = serveConnection({
      socket,
      services: this.options.services,
      always,
      refusal: () => this.refusalFor(connection),
      onFault: this.options.onFault,
    });
    void connection.ended.then(() => {
      if (this.current === connection) this.current = null;
    });
  }

  private promote(connection: ServedConnection): void {
    if (this.current === connection) return;
    this.current?.end();
    this.current = connection;
  }

  private refusalFor(connection: ServedConnection): Refusal | null {
    if (this.ending !== null) return refuse('runner_unavailable', 'The Runner is shutting down; try again.', { state_changed: false });
    if (this.current === connection) return null;
    return refuse('runner_unavailable', 'The Runner serves another daemon now; try again.', { state_changed: false });
  }

  private hello(): z.input<typeof helloMethod.result> {
    const { version, instanceId, startedAtMs, stateFolder, capabilities } = this.options.identity;
    const { activeJobs, openShells } = this.options.activity();
    return {
      wire_version: RUNNER_WIRE_VERSION,
      runner_version: version,
      pid: process.pid,
      instance_id: instanceId,
      started_at_ms: startedAtMs,
      state_folder: stateFolder,
      active_jobs: activeJobs,
      open_shells: openShells,
      capabilities: [...capabilities],
    };
  }

  private shutDown(reason: string): Promise<{ readonly ended_jobs: number }> {
    if (this.idleTimer !== null) clearInterval(this.idleTimer);
    this.ending ??= Promise.race([this.options.shutdown(reason), this.shutdownOverdue()]);
    return this.ending;
  }

  private async shutdownOverdue(): Promise<{ readonly ended_jobs: number }> {
    await setTimeout(SHUTDOWN_WITHIN_MS, undefined, { ref: false });
    this.options.onFault({ method: shutdownMethod.name, error: new Error(`the services did not end within ${SHUTDOWN_WITHIN_MS} ms`) });
    return { ended_jobs: 0 };
  }

  private close(reason: string): void {
    // Closing removes the socket's path, which may be a successor's by now.
    if (fileIdentity(this.options.socketPath) === this.socketIdentity) this.server.close();
    else this.server.unref();
    // Connections stay open to the process's very end: their close tells the daemon that it is over.
    this.settleEnded(reason);
  }
}
