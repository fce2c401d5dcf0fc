import { lstat, mkdir, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isPathWithin } from '../../protocol/path-within.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { refuse } from '../request.js';

/** The hidden folder that holds managed worktrees. */
const NAMESPACE = '.webcodex-worktrees';

/**
 * Where the managed worktrees of a repository lie (spec 07 §6): a hidden folder in the
 * deepest allowed root that holds the repository and is not inside it, or beside the
 * repository when nothing bounds the caller; null when no root allows one.
 *
 * @param topLevel the top of the source's work tree, resolved
 * @param roots resolved allowed roots; null when the operating system is the only bound
 */
export function namespaceFolder(topLevel: string, roots: readonly string[] | null): string | null {
  if (roots === null) {
    const parent = dirname(topLevel);
    if (parent === topLevel) return null;
    // A worktree of a managed worktree lies beside it.
    return basename(parent) === NAMESPACE ? parent : join(parent, NAMESPACE);
  }
  const holding = roots.filter((root) => root !== topLevel && isPathWithin(root, topLevel));
  const deepest = holding.reduce<string | null>((found, root) => (found === null || root.length > found.length ? root : found), null);
  return deepest === null ? null : join(deepest, NAMESPACE);
}

/** `namespaceFolder` for roots as they are configured; one that does not exist holds nothing. */
export async function findNamespace(topLevel: string, roots: readonly string[] | null): Promise<string | Refusal> {
  const resolved = roots === null ? null : await Promise.all(roots.map((root) => realpath(root).catch(() => null)));
  const folder = namespaceFolder(topLevel, resolved === null ? null : resolved.filter((root) => root !== null));
  return folder ?? namespaceUnavailable('no allowed root holds the repository without being inside it', 'no_allowed_root');
}

/** Makes the namespace, or accepts the one that is there if it is a private folder of this user's. */
export async function openNamespace(folder: string): Promise<Refusal | null> {
  try {
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    const status = await lstat(folder);
    if (!status.isDirectory() || status.uid !== process.geteuid?.()) {
      return namespaceUnavailable(`${folder} is no folder of this user's`, 'namespace_not_owned');
    }
    // Where the namespace lies in another repository, that one shall not see it.
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    return null;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return namespaceUnavailable(`${folder} could not be made (${code})`, code);
  }
}

function namespaceUnavailable(why: string, reason: string): Refusal {
  return refuse(
    'managed_worktree_root_unavailable',
    `There is no place for a managed worktree: ${why}; widen runner.allowed_roots, or use mode checkout.`,
    { reason_code: reason, state_changed: false },
  );
}
