import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { until } from '../jobs/execution-house.js';

const SSHD = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/libexec/sshd'].find((path) => existsSync(path));
const SSH = ['/usr/bin/ssh', '/usr/local/bin/ssh'].find((path) => existsSync(path));

/** A real sshd on the loopback device, with keys and a client configuration of its own. */
export interface SshServer {
  readonly folder: string;
  readonly port: number;
  readonly pid: number;
  /** A folder in front of the PATH, whose `ssh` knows the host by its alias and by nothing of the user's. */
  readonly bin: string;
  /** How the client calls it. */
  readonly alias: string;
  readonly keyFile: string;
  readonly knownHosts: string;
  readonly configFile: string;
  readonly user: string;
  /** What sshd wrote so far. */
  log(): string;
  /** How many connections were authenticated. */
  handshakes(): number;
  /** Writes the client's configuration anew, with lines for the alias in front. */
  configure(...lines: string[]): void;
  /** The processes of its connections. */
  sessions(): readonly number[];
  stop(): Promise<void>;
}

/** @param serverLines in front of the usual configuration, where the first value counts */
export async function startSshServer(serverLines: readonly string[] = [], alias = `host-${Math.random().toString(36).slice(2, 10)}`): Promise<SshServer> {
  if (SSHD === undefined || SSH === undefined) throw new Error('the SSH tests need sshd and ssh: install openssh-server and openssh-client');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wc-sshd-')));
  const at = (name: string): string => join(folder, name);
  const { username } = userInfo();
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  for (const name of ['host-key', 'user-key']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', at(name)]);
  writeFileSync(at('authorized'), readFileSync(at('user-key.pub')));
  const port = await freePort();
  writeFileSync(
    at('sshd_config'),
    [
      ...serverLines,
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${at('host-key')}`,
      `AuthorizedKeysFile ${at('authorized')}`,
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
  writeFileSync(at('known-hosts'), `[127.0.0.1]:${port} ${readFileSync(at('host-key.pub'), 'utf8')}`);
  mkdirSync(at('bin'));
  const configure = (...lines: string[]): void =>
    writeFileSync(
      at('ssh_config'),
      [`Host ${alias}`, ...lines, 'HostName 127.0.0.1', `Port ${port}`, `User ${username}`, `IdentityFile ${at('user-key')}`, 'IdentitiesOnly yes', 'IdentityAgent none', `UserKnownHostsFile ${at('known-hosts')}`, 'GlobalKnownHostsFile none', ''].join('\n'),
    );
  configure();
  writeFileSync(at('bin/ssh'), `#!/bin/sh\nexec ${SSH} -F ${at('ssh_config')} "$@"\n`);
  chmodSync(at('bin/ssh'), 0o755);
  const server: ChildProcess = spawn(SSHD, ['-D', '-f', at('sshd_config'), '-E', at('log')], { stdio: 'ignore' });
  const gone = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  await until('sshd listens', () => answers(port));
  const log = (): string => (existsSync(at('log')) ? readFileSync(at('log'), 'utf8') : '');
  const sessions = (): readonly number[] => childrenOf(server.pid!);
  return {
    folder,
    port,
    pid: server.pid!,
    bin: at('bin'),
    alias,
    keyFile: at('user-key'),
    knownHosts: at('known-hosts'),
    configFile: at('ssh_config'),
    user: username,
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
