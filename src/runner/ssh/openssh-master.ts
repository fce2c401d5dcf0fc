import { spawn, type ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectFailure } from '../../protocol/runner/ssh.js';
import { connectFailure } from './connect-failure.js';
import { masterAlive } from './mux-client.js';

/** From the start of `ssh` to a connection that carries channels, in all. */
const HANDSHAKE_WITHIN_MS = 15_000;
/** How long a master may take to answer that it lives; one that is stopped never does. */
const ALIVE_WITHIN_MS = 3_000;
const LOOK_EVERY_MS = 10;
/** From SIGTERM to SIGKILL. */
const GRACE_MS = 200;
/** What is read of `ssh`'s words. */
const MAX_SAID_CHARACTERS = 8_192;

/**
 * The master belongs to this process: it stays in the foreground, asks nobody, forwards
 * nothing, and notices within a minute that the other side is gone.
 */
const MASTER = [
  '-M', '-N', '-T',
  '-o', 'ControlPersist=no',
  '-o', 'BatchMode=yes',
  '-o', 'ConnectTimeout=10',
  '-o', 'ClearAllForwardings=yes',
  '-o', 'RemoteCommand=none',
  '-o', 'PermitLocalCommand=no',
  '-o', 'ServerAliveInterval=15',
  '-o', 'ServerAliveCountMax=3',
]; // prettier-ignore

export interface MasterOptions {
  /** The `ssh` of the user's PATH, absolute. */
  readonly program: string;
  readonly host: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where its socket goes, 80 bytes at most, in a private folder. */
  readonly controlPath: string;
  /** Marks the process for the next Runner, until what it returns is called. */
  readonly mark: () => () => void;
}

/** An `ssh` process that holds one authenticated connection for others to share. */
export class OpenSshMaster {
  private ending: Promise<void> | null = null;
  /** The pid that the master itself said; another one is another master. */
  private pid: number | null = null;
  private readonly exited: Promise<void>;

  private constructor(
    private readonly options: MasterOptions,
    private readonly child: ChildProcess,
    unmark: () => void,
  ) {
    this.exited = new Promise((resolve) => {
      child.once('exit', () => {
        unmark();
        resolve();
      });
    });
  }

  /** Starts one and waits until it carries channels, with one handshake. */
  static async start(options: MasterOptions): Promise<OpenSshMaster | { readonly failed: ConnectFailure }> {
    const unmark = options.mark();
    const child = spawnMaster(options);
    if (child === null) {
      unmark();
      return { failed: 'unknown' };
    }
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < MAX_SAID_CHARACTERS) said += text;
    });
    const master = new OpenSshMaster(options, child, unmark);
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const deadline = performance.now() + HANDSHAKE_WITHIN_MS;
    while (performance.now() < deadline) {
      master.pid = await masterAlive(options.controlPath, Math.max(1, deadline - performance.now()));
      if (master.pid !== null) return master;
      if (master.hasEnded) {
        await closed;
        return { failed: connectFailure(said) };
      }
      await sleep(LOOK_EVERY_MS);
    }
    await master.end();
    return { failed: 'handshake_timeout' };
  }

  get program(): string {
    return this.options.program;
  }

  get host(): string {
    return this.options.host;
  }

  get env(): Readonly<Record<string, string>> {
    return this.options.env;
  }

  get controlPath(): string {
    return this.options.controlPath;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Whether the very process that was started answers on its socket. */
  async isAlive(): Promise<boolean> {
    if (this.hasEnded || this.ending !== null) return false;
    return (await masterAlive(this.controlPath, ALIVE_WITHIN_MS)) === this.pid;
  }

  /** Ends the connection and everything on it. */
  end(): Promise<void> {
    this.ending ??= this.terminate();
    return this.ending;
  }

  private async terminate(): Promise<void> {
    if (!this.hasEnded) {
      this.child.kill('SIGTERM');
      const late = sleep(GRACE_MS).then(() => void this.child.kill('SIGKILL'));
      await Promise.race([this.exited, late]);
      await this.exited;
    }
    await rm(this.controlPath, { force: true });
  }
}

function spawnMaster({ program, host, env, controlPath }: MasterOptions): ChildProcess | null {
  try {
    const child = spawn(program, ['-S', controlPath, ...MASTER, '--', host], { env, cwd: '/', detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
    child.on('error', () => undefined);
    return child.pid === undefined ? null : child;
  } catch {
    return null;
  }
}
