import { join, resolve } from 'node:path';

/** The longest socket path that every platform of ours accepts, in bytes. */
const MAX_SOCKET_PATH_BYTES = 100;

export interface StateFolderInputs {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
}

/**
 * Where a user's daemon keeps its state: `WC_HOME`, else the platform's place for
 * state. It is the same for the CLI, the shim and the daemon (DESIGN, state folder). Absolute, since a service and an MCP
 * client start in other folders.
 */
export function stateFolder({ env, platform, home }: StateFolderInputs): string {
  if (env['WC_HOME']) return resolve(env['WC_HOME']);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'webcodex');
  return join(env['XDG_STATE_HOME'] || join(home, '.local', 'state'), 'webcodex');
}

/** The files of a state folder. */
export interface StatePaths {
  readonly folder: string;
  readonly ledger: string;
  readonly audit: string;
  readonly config: string;
  readonly log: string;
  readonly lock: string;
  /** Who holds the lock: JSON, written by the holder. */
  readonly lockHolder: string;
  readonly spool: string;
  /** The daemon's socket when its path is short enough for the platform, else null. */
  readonly socket: string | null;
  /** A file that names the socket when it lives elsewhere. */
  readonly socketPointer: string;
  readonly runnerSocket: string | null;
  readonly runnerSocketPointer: string;
  readonly runnerLog: string;
}

export function statePaths(folder: string): StatePaths {
  const short = (name: string): string | null => {
    const path = join(folder, name);
    return Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES ? path : null;
  };
  return {
    folder,
    ledger: join(folder, 'ledger.db'),
    audit: join(folder, 'audit.db'),
    config: join(folder, 'config.json'),
    log: join(folder, 'daemon.log'),
    lock: join(folder, 'lock'),
    lockHolder: join(folder, 'lock.holder'),
    spool: join(folder, 'spool'),
    socket: short('daemon.sock'),
    socketPointer: join(folder, 'daemon.sock.path'),
    runnerSocket: short('runner.sock'),
    runnerSocketPointer: join(folder, 'runner.sock.path'),
    runnerLog: join(folder, 'runner.log'),
  };
}
