import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StartRefused } from './state-folder.js';

/** Where a socket of the state folder belongs: inside it, or where a file names. */
export interface SocketPlace {
  /** The path inside the state folder, null where it would be too long for a socket. */
  readonly path: string | null;
  /** The file that names the socket when it lives elsewhere. */
  readonly pointer: string;
}

/**
 * Listens on the daemon's socket; only the lock's holder calls this, so a socket that
 * stands there is a dead daemon's.
 *
 * @returns the path of the socket
 * @throws StartRefused when the file system takes no socket
 */
export async function listenOnSocket(server: Server, place: SocketPlace): Promise<string> {
  removeSocket(place);
  const path = socketPath(place);
  const umask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    throw new StartRefused(
      `cannot listen on ${path}: ${error instanceof Error ? error.message : String(error)}; set WC_HOME to a folder on a local file system`,
    );
  } finally {
    process.umask(umask);
  }
  chmodSync(path, 0o600);
  return path;
}

/**
 * The path that a socket has now: inside the state folder, else the one that was named
 * before, else one in a new short private folder, which is named then.
 */
export function socketPath({ path, pointer }: SocketPlace): string {
  if (path !== null) return path;
  const named = namedSocket(pointer);
  if (named !== null) return named;
  const made = join(mkdtempSync(join(shortFolder(), 'wc-')), 's');
  writeFileSync(pointer, `${made}\n`, { mode: 0o600 });
  return made;
}

/** Removes a socket that nobody listens on, and the folder that was made for it alone. */
export function removeSocket({ path, pointer }: SocketPlace): void {
  if (path !== null) rmSync(path, { force: true });
  const named = namedSocket(pointer);
  if (named !== null) rmSync(dirname(named), { recursive: true, force: true });
  rmSync(pointer, { force: true });
}

/** The socket that the pointer names, if the folder is one of ours and still there. */
function namedSocket(pointer: string): string | null {
  try {
    const named = readFileSync(pointer, 'utf8').trim();
    const folder = dirname(named);
    if (!/\/wc-[A-Za-z0-9]{6}\/s$/.test(named)) return null;
    const stat = statSync(folder);
    return stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0 ? named : null;
  } catch {
    return null; // nothing was placed elsewhere, or it is gone
  }
}

/** A place for a folder of ours whose path is short enough for a socket on every platform. */
function shortFolder(): string {
  const candidates = [process.env['XDG_RUNTIME_DIR'], tmpdir(), '/tmp'];
  return candidates.find((folder) => folder !== undefined && folder.length <= 60 && isDirectory(folder)) ?? '/tmp';
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // a variable that names a folder that is not there
  }
}
