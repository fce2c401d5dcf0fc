import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { z } from 'zod';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { removeWorktreeMethod } from '../../protocol/runner/worktree.js';
import type { BaseEnvironment } from '../git/git-environment.js';
import { runGit } from '../git/run-git.js';
import { isRefusal, refuse } from '../request.js';
import { listWorktrees } from './listed-worktrees.js';
import { lookAtWorktree, type WorktreeToLookAt } from './look-at-worktree.js';
import type { SourceTree } from './source-tree.js';

type Removed = z.input<typeof removeWorktreeMethod.result>;

/**
 * Removes a worktree that nothing keeps. Its folder is first moved aside in one step, so that
 * a removal that is cut off leaves no half worktree at its place; the next one finishes it.
 */
export async function removeWorktree(source: SourceTree, base: BaseEnvironment, asked: WorktreeToLookAt): Promise<Removed | Refusal> {
  const look = await lookAtWorktree(source, base, asked);
  if (isRefusal(look)) return look;
  if (look.kept_by.length > 0) return { removed: false, look };
  const { worktree } = asked;
  const aside = removedFolder(worktree);
  const failed = await moveAside(look.folder === 'present' ? worktree : null, aside, () => forget(source, worktree));
  if (failed !== null) return failed;
  return { removed: true, look };
}

/** Where the folder of a worktree lies while it is removed. */
export function removedFolder(worktree: string): string {
  return join(dirname(worktree), `.removed-${basename(worktree)}`);
}

/** Moves the folder aside, lets git forget it, and deletes it; a git that does not forget gets it back. */
async function moveAside(worktree: string | null, aside: string, forgetIt: () => Promise<Refusal | null>): Promise<Refusal | null> {
  try {
    // What an earlier removal left at that place was given up by then.
    if (worktree !== null) {
      await rm(aside, { recursive: true, force: true });
      await rename(worktree, aside);
    }
    const refused = await forgetIt();
    if (refused !== null) {
      if (worktree !== null) await rename(aside, worktree);
      return refused;
    }
    await rm(aside, { recursive: true, force: true });
    return null;
  } catch (error) {
    return removalFailed((error as NodeJS.ErrnoException).code ?? 'unknown error');
  }
}

/** Lets git drop what it keeps of a worktree whose folder is not there. */
async function forget(source: SourceTree, worktree: string): Promise<Refusal | null> {
  const listed = await listWorktrees(source.call);
  if (isRefusal(listed)) return listed;
  if (!listed.some(({ path }) => path === worktree)) return null;
  const output = await runGit({ ...source.call, folder: source.topLevel }, ['worktree', 'remove', '--', worktree]);
  if (isRefusal(output)) return output;
  return output.exitCode === 0 ? null : removalFailed(output.stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '');
}

function removalFailed(reason: string): Refusal {
  return refuse('worktree_removal_failed', `The worktree could not be removed: ${reason === '' ? 'git gave no reason' : reason}`, {
    reason_code: 'removal_failed',
  });
}
