import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { StandardInput } from '../../protocol/runner/execution.js';

/**
 * Opens what a program is to read as its standard input.
 *
 * @param folder a private folder of the Runner
 * @returns a handle that the caller closes once the child has it
 * @throws when the text can not be written down, or when the pipe is none of the user's
 */
export function openStandardInput(folder: string, input: StandardInput): Promise<FileHandle> {
  return typeof input === 'string' ? openText(folder, input) : openPipe(input.pipe);
}

/**
 * A standard input that holds `text` and then ends: a private file whose name is gone
 * before anybody reads it. Unlike a pipe it can be opened again as `/dev/stdin`, and it
 * does not mind a program that stops reading.
 */
async function openText(folder: string, text: string): Promise<FileHandle> {
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

/**
 * The reading end of a FIFO whose writer lives. Opening never waits; a writer that is
 * gone is an end of the input. The child's copy is made a blocking one by the spawn.
 */
async function openPipe(path: string): Promise<FileHandle> {
  const reader = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  const found = await reader.stat();
  if (found.isFIFO() && found.uid === process.getuid?.()) return reader;
  await reader.close();
  throw new Error('what was given as its pipe is no FIFO of this user');
}
