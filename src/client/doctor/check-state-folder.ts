import { constants, existsSync } from 'node:fs';
import { access, lstat, readdir, rm, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { builtModule } from '../built-module.js';
import { ClientError } from '../client-error.js';
import type { ClientState } from '../state.js';
import { broken, ok, sentence, warning, type Finding } from './finding.js';
import { foreignReaders } from './foreign-readers.js';
import { byteSize } from '../render/units.js';

/** Less room than this is soon none, in bytes. */
const ROOM_BYTES = 200 * 1024 * 1024;
/** A log of the store that grew beyond this is held back by somebody who reads it, in bytes. */
const WAL_BYTES = 64 * 1024 * 1024;

/** The state folder, and what is in it. */
export async function checkStateFolder(state: ClientState, daemonPid: number | null): Promise<readonly Finding[]> {
  const { folder } = state.paths;
  try {
    if (!state.check()) return [await checkNewFolder(folder)];
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return [broken('state_folder', error.message, error.hint)];
  }
  return [await checkFolder(state, daemonPid !== null), await checkConfig(state.paths.config), await checkSizes(state, daemonPid)];
}

async function checkNewFolder(folder: string): Promise<Finding> {
  let at = folder;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return access(at, constants.W_OK).then(
    () => ok('state_folder', `${folder} is not there yet; the first command makes it`),
    () => broken('state_folder', `${folder} can not be made: ${at} can not be written`, 'Name a folder that can, with WC_HOME.'),
  );
}

async function checkFolder(state: ClientState, daemonAnswers: boolean): Promise<Finding> {
  const { folder } = state.paths;
  try {
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const room = bavail * bsize;
    if (room < ROOM_BYTES) return warning('state_folder', `${folder} has ${byteSize(room)} left`, 'Free space: a full disk ends in answers that say so, and nothing is recorded.');
    // A daemon that answers has a socket already.
    if (!daemonAnswers) await trySocket(state);
    return ok('state_folder', `${folder}, private, with ${byteSize(room)} left`);
  } catch (error) {
    return broken('state_folder', `${folder}: ${sentence(error)}`, 'Make it writable on a file system that has Unix sockets, or name another one with WC_HOME.');
  }
}

/** Listens for a moment on a socket of its own, where the daemon's would be. */
async function trySocket({ paths }: ClientState): Promise<void> {
  if (paths.socket === null) return;
  const path = join(dirname(paths.socket), `doctor-${process.pid}.s`);
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
  } finally {
    await new Promise((resolve) => server.close(resolve));
    await rm(path, { force: true });
  }
}

/** By the daemon's own rules, so that what would refuse its start is said before. */
async function checkConfig(path: string): Promise<Finding> {
  try {
    const { readConfig } = await builtModule<{ readonly readConfig: (path: string) => unknown }>('daemon/config.js');
    readConfig(path);
    return ok('config', existsSync(path) ? `${path} is valid` : 'no config.json: the defaults');
  } catch (error) {
    return broken('config', sentence(error), `Mend ${path}; docs/operations.md lists the keys.`);
  }
}

async function checkSizes({ paths }: ClientState, daemonPid: number | null): Promise<Finding> {
  const sizes: Record<string, number> = {};
  for (const [name, path] of Object.entries({ ledger: paths.ledger, audit: paths.audit })) {
    sizes[name] = await sizeOf(path);
    sizes[`${name}_wal`] = await sizeOf(`${path}-wal`);
  }
  sizes['logs'] = await matching(paths.folder, /^(daemon|runner)\.log/);
  sizes['spool'] = await sizeOf(paths.spool);
  sizes['total'] = await sizeOf(paths.folder);
  const detail = Object.entries(sizes).filter(([name, bytes]) => bytes > 0 || name === 'total').map(([name, bytes]) => `${name} ${byteSize(bytes)}`).join(', ');
  const grown = ['ledger', 'audit'].filter((name) => (sizes[`${name}_wal`] ?? 0) > WAL_BYTES);
  const readers = await foreignReaders([paths.ledger, paths.audit], daemonPid);
  if (readers.length > 0) {
    const who = readers.map(({ pid, program }) => `${program} (pid ${pid})`).join(', ');
    return warning('sizes', `${detail}; opened by ${who} besides`, 'Another program that holds a store open keeps its log from shrinking: end it, and read an export instead.', sizes);
  }
  if (grown.length > 0) return warning('sizes', detail, `Restart the daemon to shrink the log of the ${grown.join(' and the ')}: wc daemon stop`, sizes);
  return ok('sizes', detail, sizes);
}

/** The bytes of a file, or of all files in a folder; 0 for what is not there. */
async function sizeOf(path: string): Promise<number> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return 0;
  return found.isDirectory() ? matching(path, /^/) : found.size;
}

async function matching(folder: string, name: RegExp): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder).catch(() => [])) if (name.test(entry)) bytes += await sizeOf(join(folder, entry));
  return bytes;
}
