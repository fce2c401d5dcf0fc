import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Client, ClientChannel } from 'ssh2';
import type { ConnectFailure } from '../../protocol/runner/ssh.js';
import type { ChannelStdio, RemoteChannel, RemoteConnection } from './connection.js';
import { carryChannel, silentChannel } from './ssh2-channel.js';

/** What the other side may take to open a channel and to take a command on it. */
const OPEN_WITHIN_MS = 10_000;
/** What a short program of our own may print, start files included. */
const MAX_SAID_BYTES = 1_024 * 1_024;
/** From a farewell to the end of the socket, which a host that is stopped never answers. */
const FAREWELL_MS = 200;

type Opened = RemoteChannel | { readonly failed: ConnectFailure | 'spawn_failed' };

export interface Ssh2Bounds {
  /** Milliseconds for a channel to be opened and to take its command. */
  readonly openMs?: number;
}

/** An authenticated connection that this process holds itself, and its channels. */
export class Ssh2Connection implements RemoteConnection {
  private alive = true;
  private readonly closed: Promise<void>;

  /**
   * @param client authenticated, with somebody who listens to its errors
   * @param socket that it goes over
   */
  constructor(
    private readonly client: Client,
    private readonly socket: Socket,
    private readonly bounds: Ssh2Bounds = {},
  ) {
    this.closed = new Promise((resolve) => client.once('close', () => resolve()));
    for (const event of ['end', 'close'] as const) socket.once(event, () => (this.alive = false));
  }

  async isAlive(): Promise<boolean> {
    // The sockets are looked at between two immediates: an end that has come is read first.
    await setImmediate();
    await setImmediate();
    return this.alive;
  }

  open(command: string, stdio: ChannelStdio): Promise<Opened> {
    if (!this.alive) return Promise.resolve({ failed: 'connection_lost' });
    return new Promise((resolve) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        // What was sent may be read some day: nothing more is sent behind it.
        this.alive = false;
        resolve(lost());
      }, this.bounds.openMs ?? OPEN_WITHIN_MS);
      const take = (error: Error | undefined, channel: ClientChannel): void => {
        clearTimeout(timer);
        if (!isLate) resolve(error === undefined ? carryChannel(channel, stdio) : this.refused(error));
        else if (error === undefined) channel.close();
      };
      try {
        this.client.exec(command, take);
      } catch {
        clearTimeout(timer);
        resolve({ failed: 'connection_lost' });
      }
    });
  }

  async ask(command: string, withinMs: number): Promise<string | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, withinMs, null)));
    const opening = this.open(command, { stdin: null, stdout: 'pipe' });
    try {
      const opened = await Promise.race([opening, late]);
      if (opened === null) {
        void opening.then((one) => 'failed' in one || one.kill());
        return null;
      }
      if ('failed' in opened) return null;
      const said: Buffer[] = [];
      let room = MAX_SAID_BYTES;
      opened.stdout?.on('data', (bytes: Buffer) => {
        room -= bytes.length;
        if (room >= 0) said.push(bytes);
        else opened.kill();
      });
      opened.stderr.resume();
      const end = await Promise.race([opened.ended, late]);
      if (end === null) opened.kill();
      return end?.code === 0 && room >= 0 ? Buffer.concat(said).toString('utf8') : null;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    this.alive = false;
    this.client.end();
    const timer = setTimeout(() => this.socket.destroy(), FAREWELL_MS);
    await this.closed;
    clearTimeout(timer);
  }

  /** Why there is no channel, or that it can not be known whether a command was taken. */
  private refused(error: Error & { readonly reason?: unknown }): Opened {
    if (!this.alive || this.socket.destroyed) return lost();
    return { failed: 'reason' in error ? 'channel_refused' : 'spawn_failed' };
  }
}

/** To whoever waits for the first word of a command, a channel that broke before it. */
function lost(): RemoteChannel {
  return silentChannel(new PassThrough().end(), { code: null, exact: true, signal: null });
}
