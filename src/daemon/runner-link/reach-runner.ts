import { setTimeout as sleep } from 'node:timers/promises';
import { sayHello, type DaemonIdentity, type RunnerHello } from './hello.js';
import type { LinkBounds } from './link-bounds.js';
import { openRunnerConnection, RunnerConnection } from './runner-connection.js';
import { spawnRunner, type RunnerLaunch } from './spawn-runner.js';

export interface ReachOptions {
  readonly socketPath: string;
  readonly daemon: DaemonIdentity;
  readonly launch: RunnerLaunch;
  readonly bounds: LinkBounds;
  /** Called when no Runner lived and one was started. */
  readonly onStarted: (pid: number | undefined) => void;
}

export interface ReachedRunner {
  readonly connection: RunnerConnection;
  readonly hello: RunnerHello;
  /** Whether it was started just now, and not taken up. */
  readonly started: boolean;
}

export type Reached =
  | ReachedRunner
  /** The rest of a sentence that begins "The Runner is not available: ". */
  | { readonly failed: string };

/**
 * Reaches the Runner of a state folder: takes up the one that lives, whoever started
 * it, and starts one only when nothing listens on the socket. `mayStart` false only
 * looks; the answer is null then when none lives.
 */
export async function reachRunner(options: ReachOptions, mayStart: boolean): Promise<Reached | null> {
  const living = await tryConnect(options.socketPath);
  if (living === null) return mayStart ? startRunner(options) : null;
  return 'failed' in living ? living : greet(living, options, false);
}

async function startRunner(options: ReachOptions): Promise<Reached> {
  const { bounds, launch, onStarted, socketPath } = options;
  let runner;
  try {
    runner = spawnRunner(launch);
  } catch (error) {
    return { failed: `it could not be started (${(error as Error).message})` };
  }
  onStarted(runner.pid);
  const end: { how?: string } = {};
  void runner.exited.then((how) => {
    end.how = how;
  });
  const deadline = performance.now() + bounds.startMs;
  for (;;) {
    await sleep(bounds.startPollMs);
    const connection = await tryConnect(socketPath);
    if (connection instanceof RunnerConnection) return greet(connection, options, true);
    if (end.how !== undefined) return { failed: `${end.how} while it started; ${launch.logPath} may say why` };
    if (performance.now() > deadline) return { failed: `it did not start to listen within ${bounds.startMs / 1000} s` };
  }
}

async function greet(connection: RunnerConnection, { daemon, bounds }: ReachOptions, started: boolean): Promise<Reached> {
  const hello = await sayHello(connection, daemon, bounds.helloMs);
  if (hello !== null) return { connection, hello, started };
  connection.end();
  return { failed: 'a Runner holds the socket and does not answer' };
}

/** The connection, null when no process listens, or what else went wrong. */
async function tryConnect(socketPath: string): Promise<RunnerConnection | null | { readonly failed: string }> {
  try {
    return await openRunnerConnection(socketPath);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ECONNREFUSED' ? null : { failed: `its socket can not be reached (${message})` };
  }
}
