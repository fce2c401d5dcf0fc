import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2, { type ServerChannel } from 'ssh2';
import type { Ssh2Resource } from '../../../src/protocol/runner/ssh.js';

/** What the server does wrong from now on; it runs commands rightly with `nothing`. */
export type Misdeed =
  | 'nothing'
  /** Answers no authentication. */
  | 'silent-authentication'
  | 'refuse-channel'
  /** Never says whether it opens one. */
  | 'silent-channel'
  | 'refuse-command'
  /** Takes a command, and never says so. */
  | 'silent-command'
  /** Cuts the connection, as a cable that is pulled, when the command prints something. */
  | 'reset-mid-command'
  /** Ends a command without a word of how. */
  | 'no-exit-status'
  /** Sends every byte of standard error alone. */
  | 'split-frames';

/** An SSH server in this process that misbehaves on purpose, with a home that trusts its first key. */
export interface MisbehavingServer {
  readonly resource: Ssh2Resource;
  /** `HOME` for whoever connects. */
  readonly home: string;
  misdeed: Misdeed;
  /** Commands that it was given, whether it ran them or not. */
  readonly commands: string[];
  /** Shows another key to those who come from now on. */
  changeKey(): void;
  stop(): Promise<void>;
}

export async function startMisbehavingServer(): Promise<MisbehavingServer> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wc-bad-sshd-')));
  const at = (name: string): string => join(folder, name);
  for (const name of ['host-1', 'host-2', 'user']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', at(name)]);
  const sockets = new Set<Socket>();
  const cut = (): void => sockets.forEach((socket) => socket.resetAndDestroy());
  const state = { misdeed: 'nothing' as Misdeed, commands: [] as string[] };
  const serve = (key: string): InstanceType<typeof ssh2.Server> =>
    new ssh2.Server({ hostKeys: [readFileSync(at(key))] }, (connection) => {
      connection.on('error', () => undefined);
      connection.on('authentication', (asked) => {
        if (state.misdeed === 'silent-authentication') return;
        if (asked.method === 'publickey') asked.accept();
        else asked.reject(['publickey']);
      });
      connection.on('session', (accept, reject) => {
        if (state.misdeed === 'refuse-channel') return reject();
        if (state.misdeed === 'silent-channel') return;
        accept().on('exec', (take, refuse, { command }) => {
          state.commands.push(command);
          if (state.misdeed === 'refuse-command') return refuse();
          if (state.misdeed === 'silent-command') return;
          runCommand(command, take(), state.misdeed, cut);
        });
      });
    });
  let ssh = serve('host-1');
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    ssh.injectSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  mkdirSync(at('home/.ssh'), { recursive: true });
  writeFileSync(at('home/.ssh/known_hosts'), `[127.0.0.1]:${port} ${readFileSync(at('host-1.pub'), 'utf8')}`);
  return Object.assign(state, {
    resource: { transport: 'ssh2' as const, host: '127.0.0.1', port, user: 'somebody', identity_file: at('user') },
    home: at('home'),
    changeKey: () => {
      ssh = serve('host-2');
    },
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cut();
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

function runCommand(command: string, channel: ServerChannel, misdeed: Misdeed, cut: () => void): void {
  const child = spawn('/bin/sh', ['-c', command], { stdio: 'pipe', detached: true });
  channel.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  channel.on('error', () => undefined);
  child.stdout.on('data', (bytes: Buffer) => {
    if (misdeed === 'reset-mid-command') cut();
    else channel.write(bytes);
  });
  child.stderr.on('data', (bytes: Buffer) => {
    if (misdeed === 'split-frames') for (const byte of bytes) channel.stderr.write(Buffer.from([byte]));
    else channel.stderr.write(bytes);
  });
  child.on('close', (code) => {
    if (misdeed !== 'no-exit-status') channel.exit(code ?? 0);
    channel.end();
  });
}
