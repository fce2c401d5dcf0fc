import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Generated texts by their path under the repository's root. */
export type GeneratedFiles = ReadonlyMap<string, string>;

/**
 * The paths that differ from what would be generated: changed, missing, or left over in
 * a folder that only generated files live in.
 */
export async function checkFiles(root: string, files: GeneratedFiles, ownFolders: readonly string[]): Promise<string[]> {
  const stale: string[] = [];
  for (const [path, text] of files) {
    if ((await textOf(join(root, path))) !== text) stale.push(path);
  }
  return [...stale, ...(await leftOver(root, files, ownFolders))].sort();
}

/** Writes what is stale, removes what is left over, and gives back the paths that changed. */
export async function writeFiles(root: string, files: GeneratedFiles, ownFolders: readonly string[]): Promise<string[]> {
  const stale = await checkFiles(root, files, ownFolders);
  for (const path of stale) {
    const text = files.get(path);
    if (text === undefined) {
      await rm(join(root, path));
    } else {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
  }
  return stale;
}

async function leftOver(root: string, files: GeneratedFiles, ownFolders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of ownFolders) {
    const names = await readdir(join(root, folder)).catch(ifMissing<string[]>([]));
    found.push(...names.map((name) => `${folder}/${name}`).filter((path) => !files.has(path)));
  }
  return found;
}

async function textOf(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(ifMissing(null));
}

/** A handler that turns "no such file" into `value` and lets every other error through. */
function ifMissing<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };
}
