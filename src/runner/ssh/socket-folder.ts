import { mkdir, mkdtemp, rm, writeFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `ssh` appends 17 bytes of its own to a control path, and systems take about 104 (spec 03 §11). */
const MAX_CONTROL_PATH_BYTES = 80;
/** Room for the number of a master behind the folder. */
const NAME_BYTES = 8;
/** Names the folder when it lies outside of the life's own. */
const POINTER = 'ssh-folder';

/**
 * Makes the private folder of the control sockets: in the Runner's own when the paths stay
 * short enough for a socket there, else in one of the system's temporary folder.
 *
 * @param lifeFolder the private folder of this Runner's life
 */
export async function makeSocketFolder(lifeFolder: string): Promise<string> {
  const own = join(lifeFolder, 'ssh');
  if (fits(own)) {
    await mkdir(own, { recursive: true, mode: 0o700 });
    return own;
  }
  for (const place of [tmpdir(), '/tmp']) {
    if (!fits(join(place, 'wc-ssh-XXXXXX'))) continue;
    const folder = await mkdtemp(join(place, 'wc-ssh-'));
    await writeFile(join(lifeFolder, POINTER), folder, { mode: 0o600 });
    return folder;
  }
  throw new Error('no folder for control sockets has a path that is short enough');
}

/** Removes the folder that a Runner's life had outside of its own. */
export async function removeSocketFolder(lifeFolder: string): Promise<void> {
  const folder = await readFile(join(lifeFolder, POINTER), 'utf8').catch(() => null);
  if (folder !== null && /\/wc-ssh-[A-Za-z0-9]{6}$/.test(folder)) await rm(folder, { recursive: true, force: true });
}

function fits(folder: string): boolean {
  return Buffer.byteLength(folder) + 1 + NAME_BYTES <= MAX_CONTROL_PATH_BYTES;
}
