import { z } from 'zod';
import { GIT_CHANGE_KINDS, gitHunkSchema } from './git.js';
import { runnerMethod } from './method.js';
import { projectRootSchema } from './project-root.js';

const count = z.number().int().nonnegative();

/** A full object name, SHA-1 or SHA-256; never an abbreviation, a branch or a tag. */
export const COMMIT_PATTERN = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
export const commitSchema = z.string().regex(COMMIT_PATTERN);

/** The two sides of a diff. */
export const diffScopeSchema = z.discriminatedUnion('kind', [
  /** The work tree against HEAD, untracked files included. */
  z.strictObject({ kind: z.literal('workspace') }),
  /** The work tree against the index. */
  z.strictObject({ kind: z.literal('unstaged') }),
  /** The index against HEAD. */
  z.strictObject({ kind: z.literal('staged') }),
  z.strictObject({ kind: z.literal('commits'), base: commitSchema, head: commitSchema }),
]);
export type DiffScope = z.infer<typeof diffScopeSchema>;

/** A file of a diff. */
export const diffFileSchema = z.strictObject({
  path: z.string(),
  path_is_lossy: z.literal(true).optional(),
  from_path: z.string().optional(),
  change: z.enum(GIT_CHANGE_KINDS),
  /** Git's file modes; `000000` where the side has no such file. */
  old_mode: z.string(),
  new_mode: z.string(),
  /** Null for binary files, for untracked ones, and for protected ones, whose content is not looked at. */
  insertions: count.nullable(),
  deletions: count.nullable(),
  binary: z.boolean(),
  /** The name is protected: the file is named and never shown. */
  protected: z.literal(true).optional(),
});
export type DiffFile = z.infer<typeof diffFileSchema>;

/** The most files that a diff names. */
export const MAX_DIFF_FILES = 200;

export const diffFilesSchema = z.strictObject({
  files: z.array(diffFileSchema).max(MAX_DIFF_FILES),
  total: count,
  untracked: count,
  protected: count,
  binary: count,
  insertions: count,
  deletions: count,
});
export type DiffFiles = z.infer<typeof diffFilesSchema>;

/**
 * One page of a diff. The snapshot names both sides as they were when the page was
 * made; a page of an expected snapshot is refused with `stale_continuation` when they
 * are others by now. Further refusals: `not_a_git_repository`, `unknown_commit`,
 * `page_record_too_large`, `sensitive_path`, and those of `git/observe`.
 */
export const diffPageMethod = runnerMethod({
  name: 'git/diff_page',
  params: z.strictObject({
    root: projectRootSchema,
    scope: diffScopeSchema,
    /** Project-relative files and folders; empty means everything under the project's folder. */
    paths: z.array(z.string()),
    expected_snapshot: z.string().nullable(),
    skip_hunks: count,
    max_hunks: count,
    max_hunk_lines: count,
    /** The most bytes of hunk text. */
    max_bytes: count,
    include_files: z.boolean(),
  }),
  result: z.strictObject({
    snapshot: z.string().regex(/^[0-9a-f]{32}$/),
    branch: z.string().nullable(),
    head: z.string().nullable(),
    files: diffFilesSchema.nullable(),
    hunks: z.array(gitHunkSchema),
    more_hunks: z.boolean(),
  }),
  note: z.never(),
  effectful: false,
});
export type DiffPage = z.infer<typeof diffPageMethod.result>;
