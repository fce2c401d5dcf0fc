import { Agent } from 'node:http';
import type { DaemonClient } from './daemon-client.js';
import { createDaemonClient } from './daemon-client.js';
import { locateState } from './state.js';

export interface ConnectOptions {
  /** Who speaks (`x-wc-adapter`): `cli`, `mcp_legacy` or `mcp_2026`. */
  readonly adapter: string;
  /** Where `WC_HOME`, `XDG_STATE_HOME`, `HOME` and `WC_TOKEN` come from; default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Start a daemon when none runs; default true. */
  readonly autostart?: boolean;
  /** One line for the person who waits: a start, a replaced daemon, a version that differs. */
  readonly onNotice?: (line: string) => void;
  /**
   * Make sure of a daemon before this returns; default true. With false nothing is
   * touched until the first call, and each call makes sure of the daemon by itself anyway.
   */
  readonly eager?: boolean;
}

/**
 * A client of the user's daemon.
 *
 * Each call first gets an answer from `/api/health` within 2 s; where no daemon
 * listens, one is started, and an older one that serves no call is replaced. The
 * client therefore outlives any number of daemons.
 *
 * @throws ClientError when no daemon could be reached
 */
export async function connect(options: ConnectOptions): Promise<DaemonClient> {
  const env = options.env ?? process.env;
  const client = createDaemonClient({
    state: locateState(env),
    env,
    adapter: options.adapter,
    token: env['WC_TOKEN'] || null,
    autostart: options.autostart ?? true,
    notice: options.onNotice ?? (() => undefined),
    agent: new Agent({ keepAlive: true }),
  });
  if (options.eager ?? true) await client.ensure();
  return client;
}
