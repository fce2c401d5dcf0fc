import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import type { StatePaths } from '../protocol/state-folder.js';

/** A start that cannot go on; its message is the one line that a person reads. */
export class StartRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartRefused';
  }
}

/**
 * Makes the state folder, private to its owner, or refuses one that others could
 * write to: whoever can write there can act as the user.
 *
 * @throws StartRefused with what to do about it
 */
export function prepareStateFolder(paths: StatePaths, uid: number): void {
  for (const folder of [paths.folder, paths.spool]) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new StartRefused(`cannot make the state folder ${folder}: ${reason(error)}`);
    }
  }
  const found = lstatSync(paths.folder);
  if (!found.isDirectory()) {
    throw new StartRefused(`the state folder ${paths.folder} is not a directory; set WC_HOME to another place`);
  }
  if (found.uid !== uid) {
    throw new StartRefused(`the state folder ${paths.folder} belongs to another user; set WC_HOME to a folder of yours`);
  }
  if ((found.mode & 0o022) !== 0) {
    throw new StartRefused(
      `the state folder ${paths.folder} can be written by others: run chmod 700 ${paths.folder}`,
    );
  }
  if ((found.mode & 0o077) !== 0) chmodSync(paths.folder, 0o700);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
