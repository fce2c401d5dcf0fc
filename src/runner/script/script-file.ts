import { randomBytes } from 'node:crypto';
import { mkdir, open, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What every text that we make calls a script's file. */
export const TEMPORARY_SCRIPT = '<temporary-script>';

/** The text of one running script, in a file that belongs to the Runner. */
export interface ScriptFile {
  /** Absolute, with every link resolved: as interpreters name it. */
  readonly path: string;
  /** Removes it; a file that is gone already is none to complain about. */
  remove(): Promise<void>;
}

/** The folder of a life's scripts: what a crash left there is the next Runner's to remove. */
export function scriptFolder(lifeFolder: string): string {
  return join(lifeFolder, 'scripts');
}

/**
 * Writes a script into a private file (0600) of a name that nobody can guess.
 *
 * @param extension with its dot: what some interpreters tell the language by
 * @throws the system's error when the file can not be written; nothing is left behind then
 */
export async function writeScriptFile(lifeFolder: string, extension: string, text: string): Promise<ScriptFile> {
  const folder = scriptFolder(lifeFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(await realpath(folder), `${randomBytes(8).toString('hex')}${extension}`);
  const remove = (): Promise<void> => rm(path, { force: true });
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, remove };
}

/** A text as it is shown: without the path of the script's file, plain or as a part of a URL. */
export function withoutScriptPath(text: string, path: string): string {
  return text.replaceAll(path, TEMPORARY_SCRIPT).replaceAll(pathToFileURL(path).pathname, TEMPORARY_SCRIPT);
}
