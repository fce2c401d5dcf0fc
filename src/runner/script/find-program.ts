import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * The first file of one of these names that may be executed, name by name, in the
 * absolute folders of a PATH; null when there is none. A relative folder is passed over:
 * what stands in a project never becomes an interpreter by its name.
 */
export async function findProgram(names: readonly string[], path: string | undefined): Promise<string | null> {
  const folders = (path ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  for (const name of names) {
    for (const folder of folders) {
      const candidate = join(folder, name);
      if (await isProgram(candidate)) return candidate;
    }
  }
  return null;
}

/** Whether a path leads to a regular file that may be executed. */
export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
