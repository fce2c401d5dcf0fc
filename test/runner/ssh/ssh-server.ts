import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import type { SSH_TRANSPORTS, sshResourceSchema } from '../../../src/protocol/runner/ssh.js';
import { until } from '../jobs/execution-house.js';

const SSHD = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/libexec/sshd'].find((path) => existsSync(path));
const SSH = ['/usr/bin/ssh', '/usr/local/bin/ssh'].find((path) => existsSync(path));

/** The client side of some servers: a home, a `ssh` that knows them by their aliases, and nothing of the user's. */
export interface SshClient {
  readonly folder: string;
  /** A folder in front of the PATH. */
  readonly bin: string;
  /** The home whose known hosts hold the servers. */
  readonly home: string;
  readonly knownHosts: string;
  readonly configFile: string;
  /** Writes what `ssh` knows of an alias anew. */
  write(alias: string, lines: readonly string[]): void;
}

/** A real sshd on the loopback device, with keys of its own. */
export interface SshServer extends Omit<SshClient, 'write'> {
  readonly client: SshClient;
  readonly port: number;
  readonly pid: number;
  /** How `ssh` calls it. */
  readonly alias: string;
  readonly keyFile: string;
  readonly hostKey: string;
  readonly user: string;
  /** As a resource of either transport. */
  resource(transport: Transport): Resource;
  /** What sshd wrote so far. */
  log(): string;
  /** How many connections were authenticated. */
  handshakes(): number;
  /** Writes what `ssh` knows of it anew, with lines in front. */
  configure(...lines: string[]): void;
  /** The processes of its connections. */
  sessions(): readonly number[];
  stop(): Promise<void>;
}

export type Transport = (typeof SSH_TRANSPORTS)[number];
export type Resource = z.input<typeof sshResourceSchema>;

export interface SshServerOptions {
  /** In front of the usual configuration, where the first value counts. */
  readonly lines?: readonly string[];
  /** Who reaches it; by default a client of its own. */
  readonly client?: SshClient;
}

export async function startSshServer({ lines = [], client: given }: SshServerOptions = {}): Promise<SshServer> {
  if (SSHD === undefined || SSH === undefined) throw new Error('the SSH tests need sshd and ssh: install openssh-server and openssh-client');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wc-sshd-')));
  const at = (name: string): string => join(folder, name);
  const client = given ?? sshClient(folder, SSH);
  const alias = `host-${Math.random().toString(36).slice(2, 10)}`;
  const { username } = userInfo();
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  for (const name of ['host-key', 'user-key']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', at(name)]);
  const hostKey = readFileSync(at('host-key.pub'), 'utf8').trim();
  const port = await freePort();
  writeFileSync(
    at('sshd_config'),
    [
      ...lines,
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${at('host-key')}`,
      `AuthorizedKeysFile ${at('user-key.pub')}`,
      'StrictModes no',
      'PermitRootLogin yes',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'UsePAM no',
      'PidFile none',
      'LogLevel VERBOSE',
      '',
    ].join('\n'),
  );
  appendFileSync(client.knownHosts, `[127.0.0.1]:${port} ${hostKey}\n`);
  const configure = (...more: string[]): void => client.write(alias, [...more, 'HostName 127.0.0.1', `Port ${port}`, `User ${username}`, `IdentityFile ${at('user-key')}`]);
  configure();
  const server: ChildProcess = spawn(SSHD, ['-D', '-f', at('sshd_config'), '-E', at('log')], { stdio: 'ignore' });
  const gone = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  await until('sshd listens', () => answers(port));
  const log = (): string => (existsSync(at('log')) ? readFileSync(at('log'), 'utf8') : '');
  const sessions = (): readonly number[] => childrenOf(server.pid!);
  return {
    ...client,
    client,
    folder,
    port,
    pid: server.pid!,
    alias,
    keyFile: at('user-key'),
    hostKey,
    user: username,
    resource: (transport) =>
      transport === 'openssh' ? { transport, host: alias } : { transport, host: '127.0.0.1', port, user: username, identity_file: at('user-key') },
    log,
    handshakes: () => (log().match(/^Accepted publickey/gm) ?? []).length,
    configure,
    sessions,
    stop: async () => {
      for (const pid of [...sessions(), server.pid!]) {
        signal(pid, 'SIGCONT');
        signal(pid, 'SIGKILL');
      }
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function sshClient(folder: string, ssh: string): SshClient {
  const at = (name: string): string => join(folder, name);
  const [home, bin, configFile, knownHosts] = [at('home'), at('bin'), at('ssh_config'), at('home/.ssh/known_hosts')];
  for (const place of [bin, at('home/.ssh')]) mkdirSync(place, { recursive: true });
  writeFileSync(knownHosts, '');
  writeFileSync(at('bin/ssh'), `#!/bin/sh\nexec ${ssh} -F ${configFile} "$@"\n`);
  chmodSync(at('bin/ssh'), 0o755);
  const aliases = new Map<string, readonly string[]>();
  const write = (alias: string, lines: readonly string[]): void => {
    aliases.set(alias, lines);
    const blocks = [...aliases].map(([name, own]) => [`Host ${name}`, ...own, ''].join('\n'));
    writeFileSync(configFile, [...blocks, 'Host *', 'IdentitiesOnly yes', 'IdentityAgent none', `UserKnownHostsFile ${knownHosts}`, 'GlobalKnownHostsFile none', ''].join('\n'));
  };
  return { folder, bin, home, knownHosts, configFile, write };
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

/** The direct children of a process. */
export function childrenOf(pid: number): readonly number[] {
  return processes().flatMap(({ pid: child, parent }) => (parent === pid ? [child] : []));
}

/** Every process that is no zombie, with its arguments. */
export function processes(): readonly { readonly pid: number; readonly parent: number; readonly args: string }[] {
  return execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'stat=', '-o', 'args='], { encoding: 'utf8', maxBuffer: 16 * 1_024 * 1_024 })
    .split('\n')
    .flatMap((line) => {
      const [, pid, parent, state = '', args = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
      return pid === undefined || state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), args }];
    });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
