import { execFile, spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ConnectFailure } from '../../protocol/runner/ssh.js';
import type { ChannelStdio, RemoteChannel, RemoteConnection } from './connection.js';
import type { OpenSshMaster } from './openssh-master.js';

/**
 * Every channel is an `ssh` that joins the master. One that finds no master would dial
 * anew by itself, without a word: it is kept from that by a proxy that never connects
 * (spec 03 §11). What the user's configuration says of sessions by themselves is put off.
 */
const JOIN = ['-q', '-T', '-o', 'ControlMaster=no', '-o', 'ProxyCommand=false', '-o', 'BatchMode=yes', '-o', 'RemoteCommand=none', '-o', 'EscapeChar=none'];
/** What `ssh` itself answers when it could not do its work; a program's own 255 looks the same. */
const SSH_FAILED = 255;
/** What a channel that was killed may still print: the master holds its streams until the other side closes it, too. */
const KILLED_STREAM_MS = 200;

/** A ControlMaster and its channels. */
export class OpenSshConnection implements RemoteConnection {
  private readonly channels = new Set<ChildProcess>();

  constructor(private readonly master: OpenSshMaster) {}

  isAlive(): Promise<boolean> {
    return this.master.isAlive();
  }

  async open(command: string, { stdin, stdout }: ChannelStdio): Promise<RemoteChannel | { readonly failed: ConnectFailure | 'spawn_failed' }> {
    const child = this.join(command, [stdin ?? 'ignore', stdout, 'pipe']);
    if (child === null) return { failed: 'spawn_failed' };
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    return {
      stdin: child.stdin,
      stdout: child.stdout,
      stderr: child.stderr as Readable,
      pid: child.pid ?? null,
      ended: ended.then(() => ({ code: child.exitCode === SSH_FAILED ? null : child.exitCode, exact: false, signal: null })),
      kill: () => {
        child.kill('SIGKILL');
        setTimeout(() => {
          child.stdout?.destroy();
          child.stderr?.destroy();
        }, KILLED_STREAM_MS).unref();
      },
    };
  }

  ask(command: string, withinMs: number): Promise<string | null> {
    return new Promise((resolve) => {
      const child = execFile(
        this.master.program,
        this.arguments(command),
        { env: this.master.env, cwd: '/', timeout: withinMs, killSignal: 'SIGKILL', encoding: 'utf8' },
        (error, stdout) => resolve(error === null ? stdout : null),
      );
      child.stdin?.end();
      this.follow(child);
    });
  }

  async close(): Promise<void> {
    for (const child of this.channels) child.kill('SIGKILL');
    await this.master.end();
  }

  private join(command: string, stdio: ['ignore' | 'pipe' | number, 'pipe' | number, 'pipe']): ChildProcess | null {
    try {
      const child = spawn(this.master.program, this.arguments(command), { env: this.master.env, cwd: '/', detached: true, stdio });
      child.on('error', () => undefined);
      child.stdin?.on('error', () => undefined);
      if (child.pid === undefined) return null;
      this.follow(child);
      return child;
    } catch {
      return null;
    }
  }

  private arguments(command: string): string[] {
    return ['-S', this.master.controlPath, ...JOIN, '--', this.master.host, command];
  }

  private follow(child: ChildProcess): void {
    this.channels.add(child);
    child.once('close', () => this.channels.delete(child));
  }
}
