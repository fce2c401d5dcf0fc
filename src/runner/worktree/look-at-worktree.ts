import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRootFingerprint } from '../../protocol/project-root-fingerprint.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { WORKTREE_KEEPS, WorktreeLook } from '../../protocol/runner/worktree.js';
import type { BaseEnvironment } from '../git/git-environment.js';
import { observe } from '../git/observe.js';
import { isRefusal } from '../request.js';
import { ignoredFiles } from './ignored-files.js';
import { listWorktrees, type ListedWorktree } from './listed-worktrees.js';
import { ownCommits } from './own-commits.js';
import { openSource, type SourceTree } from './source-tree.js';

type Keep = (typeof WORKTREE_KEEPS)[number];

/** Which worktree is looked at. */
export interface WorktreeToLookAt {
  readonly worktree: string;
  readonly base_commit: string;
}

/** Nothing of it is there: neither a folder, nor anything that git knows. */
export const NOTHING_THERE: WorktreeLook = {
  folder: 'missing',
  head: null,
  branch: null,
  changed_files: 0,
  own_commits: 0,
  ignored_entries: 0,
  kept_by: [],
};

/** A managed worktree as it is now, and what would be lost with it. */
export async function lookAtWorktree(source: SourceTree, base: BaseEnvironment, { worktree, base_commit: baseCommit }: WorktreeToLookAt): Promise<WorktreeLook | Refusal> {
  const listing = await listWorktrees(source.call);
  if (isRefusal(listing)) return listing;
  const listed = listing.find(({ path }) => path === worktree);
  const isThere = await isFolder(worktree);
  if (listed === undefined) {
    if (isThere === 'missing') return NOTHING_THERE;
    return { ...NOTHING_THERE, folder: 'present', changed_files: null, own_commits: null, ignored_entries: null, kept_by: ['other_folder'] };
  }
  const branch = listed.branch?.replace(/^refs\/heads\//, '') ?? null;
  const own = listed.head === null ? 0 : await ownCommits(source.call, { head: listed.head, branch }, baseCommit);
  if (typeof own !== 'number') return own;
  const commits = { head: listed.head, branch, own_commits: own };
  if (isThere === 'missing') {
    return { ...NOTHING_THERE, ...commits, kept_by: keptBy(listed, { ownCommits: own, changedFiles: 0, isUnderWay: false, hasSubmodules: false }) };
  }
  const content = isThere === 'folder' ? await contentOf(worktree, base, source.call.signal) : null;
  if (content === null) {
    return { ...NOTHING_THERE, ...commits, folder: 'present', changed_files: null, ignored_entries: null, kept_by: ['other_folder'] };
  }
  if (isRefusal(content)) return content;
  return {
    folder: 'present',
    ...commits,
    changed_files: content.changedFiles,
    ignored_entries: content.ignoredEntries,
    kept_by: keptBy(listed, { ownCommits: own, ...content }),
  };
}

/** What a worktree holds that its repository does not. */
export interface WorktreeContent {
  readonly ownCommits: number;
  readonly changedFiles: number;
  readonly isUnderWay: boolean;
  readonly hasSubmodules: boolean;
}

/** What keeps a worktree that git lists at its place. */
export function keptBy(listed: Pick<ListedWorktree, 'locked'>, content: WorktreeContent): Keep[] {
  const reasons: readonly (readonly [Keep, boolean])[] = [
    ['changed_files', content.changedFiles > 0],
    ['own_commits', content.ownCommits > 0],
    ['operation_under_way', content.isUnderWay],
    ['locked', listed.locked !== null],
    ['submodules', content.hasSubmodules],
  ];
  return reasons.flatMap(([reason, holds]) => (holds ? [reason] : []));
}

type Content = Omit<WorktreeContent, 'ownCommits'> & { readonly ignoredEntries: number | null };

/** Null when the folder is not the top of a work tree, whatever git has it listed as. */
async function contentOf(worktree: string, base: BaseEnvironment, signal: AbortSignal): Promise<Content | null | Refusal> {
  const { dev, ino } = await stat(worktree, { bigint: true });
  const tree = await openSource({ path: worktree, fingerprint: projectRootFingerprint({ realpath: worktree, dev, ino }) }, base, signal);
  if (isRefusal(tree)) return signal.aborted ? tree : null;
  if (tree.topLevel !== worktree) return null;
  const [observed, ignored, hasSubmodules] = await Promise.all([observe(tree, 'normal'), ignoredFiles(tree.call, null), hasModules(tree.gitFolder)]);
  if (isRefusal(observed)) return observed;
  return {
    changedFiles: observed.files.length,
    isUnderWay: observed.repository.operation !== null,
    hasSubmodules,
    ignoredEntries: ignored === null ? null : ignored.notAmong(new Set()),
  };
}

/** A worktree's submodules keep their repositories in its own Git folder, which goes with it. */
async function hasModules(gitFolder: string): Promise<boolean> {
  try {
    return (await readdir(join(gitFolder, 'modules'))).length > 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

/** What lies at a path; what cannot be looked at may be something else. */
export async function isFolder(path: string): Promise<'folder' | 'other' | 'missing'> {
  try {
    return (await lstat(path)).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'other';
  }
}
