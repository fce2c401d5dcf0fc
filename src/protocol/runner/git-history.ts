import { z } from 'zod';
import { commitSchema, diffFileSchema } from './git-diff.js';
import { runnerMethod } from './method.js';
import { projectRootSchema } from './project-root.js';

const count = z.number().int().nonnegative();

/** `git status` as people read it, for the project's folder. */
export const gitStatusMethod = runnerMethod({
  name: 'git/status',
  params: z.strictObject({ root: projectRootSchema, max_bytes: count }),
  result: z.strictObject({
    exit_code: z.number().int(),
    /** Short format with the branch line; cut after a whole line. */
    stdout: z.string(),
    stdout_truncated: z.boolean(),
    stderr: z.string(),
  }),
  note: z.never(),
  effectful: false,
});

export const logEntrySchema = z.strictObject({
  commit: commitSchema,
  parents: z.array(commitSchema),
  author: z.string(),
  /** Unix seconds. */
  authored_at: z.number().int(),
  committed_at: z.number().int(),
  subject: z.string(),
  body: z.string(),
  body_truncated: z.boolean(),
});
export type LogEntry = z.infer<typeof logEntrySchema>;

/** Commits reachable from a head, newest first, of the project's folder. */
export const gitLogMethod = runnerMethod({
  name: 'git/log',
  params: z.strictObject({
    root: projectRootSchema,
    /** Null means HEAD as it is now; the answer names it, so that further pages stay on it. */
    head: commitSchema.nullable(),
    limit: count,
    skip: count,
  }),
  result: z.strictObject({
    /** Null before the first commit. */
    head: commitSchema.nullable(),
    commits: z.array(logEntrySchema),
    has_more: z.boolean(),
    /** Whether history ends at the bound of a shallow clone and not at its beginning. */
    is_shallow: z.boolean(),
  }),
  note: z.never(),
  effectful: false,
});

/** The most files that a review summary names. */
export const MAX_REVIEW_FILES = 80;

/** A changed file, as far as signals look at it. */
const reviewedPathSchema = z.strictObject({
  path: z.string(),
  old_mode: z.string(),
  new_mode: z.string(),
  binary: z.boolean(),
  protected: z.boolean(),
});
export type ReviewedPath = z.infer<typeof reviewedPathSchema>;

/** What changed from where two commits parted to the second one; made from objects alone. */
export const reviewSummaryMethod = runnerMethod({
  name: 'git/review_summary',
  params: z.strictObject({ root: projectRootSchema, base: commitSchema, head: commitSchema }),
  result: z.strictObject({
    merge_base: commitSchema,
    commits: count,
    files: z.array(diffFileSchema).max(MAX_REVIEW_FILES),
    total_files: count,
    insertions: count,
    deletions: count,
    /** Every changed path, for signals; bounded by the daemon's answer, not here. */
    paths: z.array(reviewedPathSchema),
  }),
  note: z.never(),
  effectful: false,
});
