import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_KEY_BYTES = 64 * 1_024;
/** Nobody but its owner may read or write a private key. */
const OTHERS = 0o077;

/**
 * The text of a private key, or null when it can not be used: it can not be read, it is no
 * plain file, or others can read it.
 *
 * @param file absolute, or behind `~/`
 */
export async function readIdentity(file: string, home: string): Promise<Buffer | null> {
  try {
    const handle = await open(file.startsWith('~/') ? join(home, file.slice(2)) : file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (!found.isFile() || found.size > MAX_KEY_BYTES || (found.mode & OTHERS) !== 0) return null;
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}
