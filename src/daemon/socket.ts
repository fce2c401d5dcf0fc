import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { StatePaths } from '../protocol/state-folder.js';
import { StartRefused } from './state-folder.js';

/**
 * Listens on the state folder's socket; only the lock's holder calls this, so a socket
 * that stands there is a dead daemon's. Where the folder's path is too long for a
 * socket, a short private folder holds it and a file names it.
 *
 * @returns the path of the socket
 * @throws StartRefused when the file system takes no socket
 */
export async function listenOnSocket(server: Server, paths: StatePaths): Promise<string> {
  removeSocket(paths);
  const path = paths.socket ?? join(mkdtempSync(join(shortFolder(), 'wc-')), 'daemon.sock');
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
  if (paths.socket === null) writeFileSync(paths.socketPointer, `${path}\n`, { mode: 0o600 });
  return path;
}

/** Removes the socket of a daemon that is gone, and the folder that was made for it alone. */
export function removeSocket(paths: StatePaths): void {
  if (paths.socket !== null) rmSync(paths.socket, { force: true });
  let named: string;
  try {
    named = readFileSync(paths.socketPointer, 'utf8').trim();
  } catch {
    return; // nothing was ever placed elsewhere
  }
  if (/\/wc-[A-Za-z0-9]{6}\/daemon\.sock$/.test(named)) rmSync(dirname(named), { recursive: true, force: true });
  rmSync(paths.socketPointer, { force: true });
}

/** A place for sockets that is private or made private by the folder inside it. */
function shortFolder(): string {
  const runtime = process.env['XDG_RUNTIME_DIR'];
  try {
    if (runtime !== undefined && runtime.length <= 40 && statSync(runtime).isDirectory()) return runtime;
  } catch {
    // the variable names a folder that is not there: the temporary folder serves
  }
  const temporary = tmpdir();
  return temporary.length <= 60 ? temporary : '/tmp';
}
