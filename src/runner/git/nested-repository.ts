import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The folder on the way to a path that is a repository of its own, a submodule included; null when there is none. */
export async function nestedRepository(root: string, relative: string): Promise<string | null> {
  for (let folder = dirname(relative); folder !== '.'; folder = dirname(folder)) {
    const found = await lstat(join(root, folder, '.git')).catch(() => null);
    if (found !== null) return folder;
  }
  return null;
}
