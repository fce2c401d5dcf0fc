import { z } from 'zod';
import { runnerMethod } from './method.js';
import { projectRootSchema } from './project-root.js';

const nothing = z.never();
const count = z.number().int().nonnegative();

/** What git was in the middle of when it was looked at. */
export const GIT_OPERATIONS = ['rebase', 'am', 'merge', 'cherry_pick', 'revert', 'bisect'] as const;

/** A project's Git state at one moment; not to be in a work tree is a state, not a failure. */
export const gitObservationSchema = z.strictObject({
  is_repository: z.boolean(),
  /** The branch's short name; null when HEAD is detached or there is no repository. */
  branch: z.string().nullable(),
  /** The full object name; null before the first commit. */
  head: z.string().nullable(),
  /** Whether anything differs from HEAD under the project's folder, untracked files included. */
  dirty: z.boolean(),
  /** Whether a path is unmerged. */
  conflicted: z.boolean(),
  /** Commits ahead of and behind the upstream branch; null without one. */
  ahead: count.nullable(),
  behind: count.nullable(),
  operation: z.enum(GIT_OPERATIONS).nullable(),
});
export type GitObservation = z.infer<typeof gitObservationSchema>;

/**
 * The cheap look at a project's repository. It takes no lock and runs no code of the
 * repository (spec 00, decision 33). Refusals: `git_unavailable`, `git_failed`,
 * `timeout`, `cancelled`, `project_root_changed`.
 */
export const observeGitMethod = runnerMethod({
  name: 'git/observe',
  params: z.strictObject({ root: projectRootSchema }),
  result: gitObservationSchema,
  note: nothing,
  effectful: false,
});

/** How a path differs, by porcelain v2's letters in words. */
export const GIT_CHANGE_KINDS = [
  'modified',
  'type_changed',
  'added',
  'deleted',
  'renamed',
  'copied',
  'unmerged',
  'untracked',
] as const;
export type GitChangeKind = (typeof GIT_CHANGE_KINDS)[number];

export const gitChangedFileSchema = z.strictObject({
  /** Project-relative; bytes that are no UTF-8 show as U+FFFD, and `path_is_lossy` says so. */
  path: z.string(),
  path_is_lossy: z.literal(true).optional(),
  /** Where a renamed or copied file came from. */
  from_path: z.string().optional(),
  /** Index against HEAD; null when they are equal. */
  staged: z.enum(GIT_CHANGE_KINDS).nullable(),
  /** Work tree against index; null when they are equal. */
  unstaged: z.enum(GIT_CHANGE_KINDS).nullable(),
});
export type GitChangedFile = z.infer<typeof gitChangedFileSchema>;

export const gitHunkSchema = z.strictObject({
  path: z.string(),
  from_path: z.string().optional(),
  old_start: count,
  old_lines: count,
  new_start: count,
  new_lines: count,
  /** What git names the surrounding function. */
  section: z.string(),
  /** The lines with their leading ` `, `+`, `-` or `\`, LF between. */
  text: z.string(),
  /** Lines that `text` leaves out at its end; a lower bound when the byte bound cut it. */
  omitted_lines: count,
  /** Lines of `text` that were cut because they are very long. */
  cut_lines: count,
});
export type GitHunk = z.infer<typeof gitHunkSchema>;

/** The most files that a listing of changes names. */
export const MAX_LISTED_CHANGES = 200;

export const workspaceChangesSchema = z.strictObject({
  repository: gitObservationSchema,
  counts: z.strictObject({
    changed: count,
    staged: count,
    unstaged: count,
    untracked: count,
    conflicted: count,
  }),
  files: z.array(gitChangedFileSchema).max(MAX_LISTED_CHANGES),
  /** Tracked files against HEAD; untracked ones are in no diff. */
  diff_stat: z.strictObject({ files: count, insertions: count, deletions: count, binary_files: count }),
  /** Null when no diff was asked for. */
  hunks: z.array(gitHunkSchema).nullable(),
  /** Whether there are more hunks than were given. */
  more_hunks: z.boolean(),
  /** Changed files whose name is protected: counted and named, their text never shown. */
  protected_files: count,
});
export type WorkspaceChanges = z.infer<typeof workspaceChangesSchema>;

/** What changed against HEAD under the project's folder; the same refusals as `git/observe`. */
export const workspaceChangesMethod = runnerMethod({
  name: 'git/workspace_changes',
  params: z.strictObject({
    root: projectRootSchema,
    include_diff: z.boolean(),
    max_hunks: count,
    max_hunk_lines: count,
    /** The most bytes of hunk text in all. */
    max_diff_bytes: count,
  }),
  result: workspaceChangesSchema,
  note: nothing,
  effectful: false,
});
