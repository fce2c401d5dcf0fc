import type { z } from 'zod';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { verifyWorktreeMethod } from '../../protocol/runner/worktree.js';
import { isRefusal, refuse } from '../request.js';
import { baseCommit } from './base-commit.js';
import { listWorktrees } from './listed-worktrees.js';
import type { SourceTree } from './source-tree.js';

type Verified = z.input<typeof verifyWorktreeMethod.result>;

/** What the lineage of a managed worktree says. */
export interface WorktreeLineage {
  readonly worktree: string;
  readonly base_commit: string;
  /** Given by a caller who wants to be sure of the base; null leaves it. */
  readonly base_ref: string | null;
}

/** The refusal for a worktree that git cannot read: it is no worktree any more, unless something else kept git from it. */
export function unlinked(refusal: Refusal, worktree: string): Refusal {
  const { error_kind: kind } = refusal.refused;
  return kind === 'git_failed' || kind === 'source_not_git_repository' ? mismatch(worktree, 'no_work_tree') : refusal;
}

function mismatch(worktree: string, reason: string): Refusal {
  return refuse('managed_worktree_resume_mismatch', 'That folder is not the worktree that was made; start a new one.', {
    reason_code: reason,
    worktree,
    state_changed: false,
  });
}

/** Compares a managed worktree with its lineage; both sides are asked for their repository's list. */
export async function verifyWorktree(own: SourceTree, source: SourceTree, lineage: WorktreeLineage): Promise<Verified | Refusal> {
  const listed = await listWorktrees(source.call);
  if (isRefusal(listed)) return listed;
  const found = listed.find(({ path }) => path === lineage.worktree);
  if (own.topLevel !== lineage.worktree || found === undefined || found.prunable) {
    return mismatch(lineage.worktree, found === undefined ? 'not_listed' : 'other_work_tree');
  }
  if (lineage.base_ref !== null) {
    const base = await baseCommit(source.call, lineage.base_ref);
    if (typeof base !== 'string') return base;
    if (base !== lineage.base_commit) {
      return refuse('managed_worktree_resume_base_mismatch', 'base_ref means another commit than this worktree was made from; leave it out to resume.', {
        base_ref: lineage.base_ref,
        base_commit: lineage.base_commit,
        resolved_commit: base,
        state_changed: false,
      });
    }
  }
  return { head: found.head };
}
