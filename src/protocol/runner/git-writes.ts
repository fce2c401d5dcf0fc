import { z } from 'zod';
import { commitSchema } from './git-diff.js';
import { runnerMethod } from './method.js';
import { projectRootSchema } from './project-root.js';

/** How many paths a call of a writing Git tool takes (spec 04 §7.7). */
export const MAX_WRITE_PATHS = 32;
/** The longest of them, in UTF-8 bytes. */
export const MAX_WRITE_PATH_BYTES = 512;

/**
 * Commits whole files of the work tree on an expected HEAD, and nothing else. Refusals,
 * each of which leaves HEAD, index and files as they were: `head_mismatch`,
 * `staged_changes_present`, `unsafe_current_state`, `nothing_to_commit`,
 * `policy_rejected`, `invalid_path`, `not_found`, `git_identity_missing`.
 */
export const commitPathsMethod = runnerMethod({
  name: 'git/commit_paths',
  params: z.strictObject({
    root: projectRootSchema,
    expected_head: commitSchema,
    paths: z.array(z.string()).min(1).max(MAX_WRITE_PATHS),
    message: z.string(),
  }),
  result: z.strictObject({
    commit: commitSchema,
    parent: commitSchema,
    branch: z.string().nullable(),
    files: z.array(z.strictObject({ path: z.string(), change: z.enum(['added', 'modified', 'deleted', 'type_changed']) })),
  }),
  note: z.never(),
  effectful: true,
});

/** What the three tools that throw content away do with a path. */
export const PATH_REMOVALS = ['restore_tracked', 'discard_untracked', 'delete_file'] as const;
export type PathRemoval = (typeof PATH_REMOVALS)[number];

export const refusedPathSchema = z.strictObject({ path: z.string(), reason_code: z.string() });
export type RefusedPath = z.infer<typeof refusedPathSchema>;

/** Each path for itself: what cannot be done with one keeps no other back. */
export const removePathsMethod = runnerMethod({
  name: 'git/remove_paths',
  params: z.strictObject({
    root: projectRootSchema,
    action: z.enum(PATH_REMOVALS),
    paths: z.array(z.string()).min(1).max(MAX_WRITE_PATHS),
  }),
  result: z.strictObject({
    /** Restored or deleted. */
    done: z.array(z.string()),
    /** What was as wanted before the call. */
    unchanged: z.array(z.string()),
    missing: z.array(z.string()),
    refused: z.array(refusedPathSchema),
  }),
  note: z.never(),
  effectful: true,
});
export type RemovedPaths = z.infer<typeof removePathsMethod.result>;
