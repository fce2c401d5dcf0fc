import { lstat, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A `.git` file is one line; more than this is something else. */
const MAX_GIT_FILE_BYTES = 8192;

/**
 * The top of the Git work tree that `folder` lies in, or null. It looks for `.git`
 * upwards on the same file system, as git does, and runs no git: whether the
 * repository is a sound one shows when git reads it.
 */
export async function gitWorkTree(folder: string): Promise<string | null> {
  const device = (await stat(folder, { bigint: true })).dev;
  for (let candidate = folder; ; candidate = dirname(candidate)) {
    try {
      if ((await stat(candidate, { bigint: true })).dev !== device) return null;
      if (await holdsRepository(join(candidate, '.git'))) return candidate;
    } catch {
      // A folder that cannot be read is no reason to stop looking above it.
    }
    if (dirname(candidate) === candidate) return null;
  }
}

async function holdsRepository(dotGit: string): Promise<boolean> {
  try {
    const status = await stat(dotGit);
    if (status.isDirectory()) {
      await lstat(join(dotGit, 'HEAD'));
      return true;
    }
    if (!status.isFile() || status.size > MAX_GIT_FILE_BYTES) return false;
    return (await readFile(dotGit, 'utf8')).startsWith('gitdir: ');
  } catch {
    return false;
  }
}
