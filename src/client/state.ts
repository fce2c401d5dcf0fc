import { lstatSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import type { StatePaths } from '../protocol/state-folder.js';
import { stateFolder, statePaths } from '../protocol/state-folder.js';
import { ClientError } from './client-error.js';

/** Where this user's daemon keeps its state, and where its socket is now. */
export interface ClientState {
  readonly paths: StatePaths;
  /** The socket's path at this moment, or null while nothing names one. */
  readonly socket: () => string | null;
  /**
   * Whether the folder exists.
   *
   * @throws ClientError `state_folder_refused` where others could have put a socket of their own
   */
  readonly check: () => boolean;
}

/** Finds the state folder of `env`'s user. */
export function locateState(env: Readonly<Record<string, string | undefined>>): ClientState {
  const paths = statePaths(stateFolder({ env, platform: process.platform, home: env['HOME'] || homedir() }));
  return {
    paths,
    socket: () => paths.socket ?? pointedAt(paths.socketPointer),
    check: () => checkFolder(paths.folder),
  };
}

function pointedAt(pointer: string): string | null {
  try {
    return readFileSync(pointer, 'utf8').trim() || null;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function checkFolder(folder: string): boolean {
  let stat;
  try {
    stat = lstatSync(folder);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw refusal(`The state folder ${folder} can not be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).`);
  }
  if (!stat.isDirectory()) throw refusal(`The state folder ${folder} is no folder of its own.`);
  if (stat.uid !== process.getuid?.()) throw refusal(`The state folder ${folder} belongs to another user (uid ${stat.uid}).`);
  if ((stat.mode & 0o022) !== 0) {
    throw new ClientError(
      'state_folder_refused',
      `The state folder ${folder} can be written by others (mode ${(stat.mode & 0o777).toString(8)}).`,
      `Run: chmod 700 ${folder}`,
    );
  }
  return true;
}

function refusal(message: string): ClientError {
  return new ClientError('state_folder_refused', message, 'Set WC_HOME to a folder of your own.');
}

/** Whether `error` is a system error of this code. */
export function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '');
}
