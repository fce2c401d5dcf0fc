import { randomBytes } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A standard input that holds `text` and then ends: a private file whose name is gone
 * before anybody reads it. Unlike a pipe it can be opened again as `/dev/stdin`, and it
 * does not mind a program that stops reading.
 *
 * @returns a handle at the file's beginning; the caller closes it once the child has it
 */
export async function openStandardInput(folder: string, text: string): Promise<FileHandle> {
  const path = join(folder, `stdin-${randomBytes(8).toString('hex')}`);
  const writer = await open(path, 'wx', 0o600);
  try {
    await writer.writeFile(text);
    return await open(path, 'r');
  } finally {
    await writer.close();
    await unlink(path);
  }
}
