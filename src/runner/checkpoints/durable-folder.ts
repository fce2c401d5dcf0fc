import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Contents } from './contents.js';

/** Folders of this name are half made or half removed; whoever comes next takes them away. */
export const UNFINISHED = /^\.(new|gone)-/;

/** Files that are written and flushed at a time: a file system flushes several at the price of one. */
const WRITES_AT_ONCE = 16;

/**
 * Makes a folder with a document and contents, whole or not at all: it is filled and
 * flushed under another name and then takes its own.
 */
export async function makeFolder(path: string, documentName: string, document: unknown, contents: Contents): Promise<void> {
  const draft = join(dirname(path), `.new-${basename(path)}-${randomBytes(4).toString('hex')}`);
  try {
    await mkdir(join(draft, 'content'), { recursive: true, mode: 0o700 });
    const files = [...contents];
    for (let start = 0; start < files.length; start += WRITES_AT_ONCE) {
      const some = files.slice(start, start + WRITES_AT_ONCE);
      await allEnded(some.map(([name, content]) => writeFlushed(join(draft, 'content', name), content)));
    }
    await writeFlushed(join(draft, documentName), Buffer.from(JSON.stringify(document)));
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  await flushFolder(dirname(path));
}

/** Waits for all writes, also when one fails: none may go on in a folder that is being removed. */
async function allEnded(writes: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(writes)).find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
}

/** Takes a folder away, whole or not at all. */
export async function removeFolder(path: string): Promise<void> {
  const gone = join(dirname(path), `.gone-${basename(path)}-${randomBytes(4).toString('hex')}`);
  await rename(path, gone);
  await flushFolder(dirname(path));
  await rm(gone, { recursive: true, force: true });
}

async function writeFlushed(path: string, content: Buffer): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch {
    // Not every file system flushes folders; the files themselves are on the disk.
  } finally {
    await handle.close();
  }
}
