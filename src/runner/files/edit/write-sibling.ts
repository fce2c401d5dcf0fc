import { randomBytes } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isPermissionError } from '../../confinement/index.js';
import { fileMark, type FileMark } from './file-mark.js';

/** A free name beside a file, for what is about to take its place or steps aside for it. */
export function siblingName(path: string): string {
  return join(dirname(path), `.wc-edit-${randomBytes(9).toString('hex')}`);
}

/**
 * Writes a new file to the disk.
 *
 * @param like the status of the file whose place it will take: mode and owner are kept;
 *   null for a new file, which gets what the process gives new files
 * @param isExecutable whether a new file is a program
 * @returns what the file is known by afterwards
 */
export async function writeDurably(
  path: string,
  bytes: Buffer,
  like: BigIntStats | null,
  isExecutable: boolean,
): Promise<FileMark> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(path, flags, like !== null ? 0o600 : isExecutable ? 0o777 : 0o666);
  try {
    await handle.writeFile(bytes);
    if (like !== null) {
      const own = await handle.stat({ bigint: true });
      if (own.uid !== like.uid || own.gid !== like.gid) {
        await handle.chown(Number(like.uid), Number(like.gid)).catch(unlessForbidden);
      }
      await handle.chmod(Number(like.mode & 0o7777n));
    }
    await handle.sync();
    return fileMark(await handle.stat({ bigint: true }));
  } finally {
    await handle.close();
  }
}

/** Who may write a file need not be able to give files away: the content matters more than the owner. */
function unlessForbidden(error: unknown): void {
  if (!isPermissionError(error)) throw error;
}
