import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Folders of one terminal or one boot, such as those that version managers make for each shell. */
const PASSING = /^\/(var\/)?run\/|\/fnm_multishells\//;

/**
 * The path of this Node that is likeliest to last: a name on PATH that leads to the running
 * program outlives an update that moves the program itself; else the program's own path.
 *
 * @param execPath the running program
 */
export function stableNode(execPath: string, path: string | undefined): string {
  const running = realPath(execPath);
  const candidates = (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && !PASSING.test(`${folder}/`));
  const lasting = candidates.map((folder) => join(folder, 'node')).find((candidate) => running !== null && realPath(candidate) === running);
  return lasting ?? execPath;
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
