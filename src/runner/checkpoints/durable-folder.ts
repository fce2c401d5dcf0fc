import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Contents } from './contents.js';

/** Folders of this name are half made or half removed; whoever comes next takes them away. */
export const UNFINISHED = /^\.(new|gone)-/;

/**
 * Makes a folder with a document and contents, whole or not at all: it is filled and
 * flushed under another name and then takes its own.
 */
export async function makeFolder(path: string, documentName: string, document: unknown, contents: Contents): Promise<void> {
  const draft = join(dirname(path), `.new-${basename(path)}-${randomBytes(4).toString('hex')}`);
  try {
    await mkdir(join(draft, 'content'), { recursive: true, mode: 0o700 });
    for (const [name, content] of contents) await writeFlushed(join(draft, 'content', name), content);
    await writeFlushed(join(draft, documentName), Buffer.from(JSON.stringify(document)));
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  await flushFolder(dirname(path));
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
