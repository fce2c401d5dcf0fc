import { link, lstat, rename, unlink } from 'node:fs/promises';

/** Errors by which a file system says that it makes no hard links, or not of this file. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV']);

/** Gives a file a second name; false where the file system makes no hard links. */
export async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (NO_LINKS.has((error as NodeJS.ErrnoException).code)) return false;
    throw error;
  }
}

/**
 * Moves a file to a name that must be free. With hard links that is one atomic step
 * against others who would take the name; without, the name is looked at just before.
 *
 * @param linked called between the two steps, when the file has both names
 * @throws EEXIST when the name is taken
 */
export async function moveToFreeName(from: string, to: string, linked?: () => void | Promise<void>): Promise<void> {
  if (await tryLink(from, to)) {
    await linked?.();
    await unlink(from);
    return;
  }
  if (await exists(to)) throw Object.assign(new Error('the name is taken'), { code: 'EEXIST' });
  await rename(from, to);
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}
