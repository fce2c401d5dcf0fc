import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, readlink, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What lies at a path of a work tree, links not followed. */
export type WorkFile =
  | { readonly kind: 'missing' }
  | { readonly kind: 'file' | 'link'; readonly status: BigIntStats; readonly path: string }
  | { readonly kind: 'folder' }
  /** The path leads through a link, so that for git nothing lies there. */
  | { readonly kind: 'beyond_link' }
  /** A device, a socket or a FIFO. */
  | { readonly kind: 'other' };

/** Looks at a path as git does: each folder on the way is a real one, the last part is taken as it is. */
export async function lookAtWorkFile(root: string, relative: string): Promise<WorkFile> {
  const path = join(root, relative);
  try {
    if (!(await leadsThroughFolders(dirname(path)))) return { kind: 'beyond_link' };
    const status = await lstat(path, { bigint: true });
    if (status.isSymbolicLink()) return { kind: 'link', status, path };
    if (status.isDirectory()) return { kind: 'folder' };
    return status.isFile() ? { kind: 'file', status, path } : { kind: 'other' };
  } catch (error) {
    switch ((error as NodeJS.ErrnoException).code) {
      case 'ENOENT':
      case 'ENOTDIR':
      case 'ENAMETOOLONG':
        return { kind: 'missing' };
      case 'ELOOP':
        return { kind: 'beyond_link' };
      default:
        throw error;
    }
  }
}

/**
 * The file that lies where a folder of a path would have to be, or null. Git makes room
 * for a file that it writes, and would delete it.
 */
export async function fileInTheWay(root: string, relative: string): Promise<string | null> {
  for (let folder = dirname(relative); folder !== '.'; folder = dirname(folder)) {
    const status = await lstat(join(root, folder)).catch(() => null);
    if (status !== null) return status.isDirectory() ? null : folder;
  }
  return null;
}

/** Whether the part of a path that exists leads through no link; what is missing can be made. */
async function leadsThroughFolders(folder: string): Promise<boolean> {
  for (let existing = folder; ; existing = dirname(existing)) {
    try {
      return (await realpath(existing)) === existing;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(existing) === existing || (await isLink(existing))) throw error;
    }
  }
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (status) => status.isSymbolicLink(),
    () => false,
  );
}

/** The bytes of a file that was just looked at, or where a link leads; null when it is another one by now. */
export async function readWorkFile(file: Extract<WorkFile, { kind: 'file' | 'link' }>): Promise<Buffer | null> {
  if (file.kind === 'link') return readlink(file.path, { encoding: 'buffer' });
  const handle = await open(file.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { ino, size, mtimeNs } = await handle.stat({ bigint: true });
    if (ino !== file.status.ino || size !== file.status.size || mtimeNs !== file.status.mtimeNs) return null;
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
