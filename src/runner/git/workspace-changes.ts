import type { z } from 'zod';
import {
  MAX_LISTED_CHANGES,
  type GitChangedFile,
  type GitObservation,
  type WorkspaceChanges,
  type workspaceChangesMethod,
} from '../../protocol/runner/git.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { pathProtection } from '../confinement/index.js';
import { isRefusal } from '../request.js';
import { diffHunks, diffStat } from './diff.js';
import { NO_REPOSITORY, observe } from './observe.js';
import type { Patch } from './parse-patch.js';
import type { WorkTree } from './work-tree.js';

type Request = Omit<z.output<typeof workspaceChangesMethod.params>, 'root'>;

/** What changed under a project's folder against HEAD, or against nothing before the first commit. */
export async function workspaceChanges(tree: WorkTree, request: Request): Promise<WorkspaceChanges | Refusal> {
  const observed = await observe(tree, 'all');
  if (isRefusal(observed)) return observed;
  const { repository, files } = observed;
  const tracked = files.filter((file) => file.unstaged !== 'untracked');
  const base = repository.head ?? tree.emptyTree;
  const bounds = {
    maxHunks: request.max_hunks,
    maxHunkLines: request.max_hunk_lines,
    maxBytes: request.max_diff_bytes,
  };
  const [stat, patch] = await Promise.all([
    tracked.length === 0 ? NO_DIFF : diffStat(tree, [base]),
    !request.include_diff ? null : tracked.length === 0 ? NO_PATCH : diffHunks(tree, [base], bounds),
  ]);
  if (isRefusal(stat)) return stat;
  if (patch !== null && isRefusal(patch)) return patch;
  return {
    repository,
    counts: countChanges(files),
    files: files.slice(0, MAX_LISTED_CHANGES),
    diff_stat: stat,
    hunks: patch === null ? null : [...patch.hunks],
    more_hunks: patch?.more ?? false,
    protected_files: files.filter((file) => pathProtection(file.path) === 'secret').length,
  };
}

/** What is answered for a project without a repository. */
export function changesWithoutRepository(request: Request): WorkspaceChanges {
  const repository: GitObservation = NO_REPOSITORY;
  return {
    repository,
    counts: countChanges([]),
    files: [],
    diff_stat: NO_DIFF,
    hunks: request.include_diff ? [] : null,
    more_hunks: false,
    protected_files: 0,
  };
}

const NO_DIFF = { files: 0, insertions: 0, deletions: 0, binary_files: 0 };
const NO_PATCH: Patch = { hunks: [], more: false, skipped: 0, isCutByBytes: false };

function countChanges(files: readonly GitChangedFile[]): WorkspaceChanges['counts'] {
  const count = (test: (file: GitChangedFile) => boolean): number => files.filter(test).length;
  const isUnmerged = (file: GitChangedFile): boolean => file.staged === 'unmerged';
  const isUntracked = (file: GitChangedFile): boolean => file.unstaged === 'untracked';
  return {
    changed: files.length,
    staged: count((file) => file.staged !== null && !isUnmerged(file)),
    unstaged: count((file) => file.unstaged !== null && !isUnmerged(file) && !isUntracked(file)),
    untracked: count(isUntracked),
    conflicted: count(isUnmerged),
  };
}
