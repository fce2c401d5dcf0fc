import { z } from 'zod';
import { runnerMethod } from './method.js';
import { projectRootSchema } from './project-root.js';

const count = z.number().int().nonnegative();

/** A tracked file, or a folder that stands for so many of them. */
export const trackedEntrySchema = z.strictObject({
  /** Project-relative; bytes that are no UTF-8 show as U+FFFD. */
  path: z.string(),
  type: z.enum(['file', 'directory']),
  /** Tracked files in a folder. */
  files: count.optional(),
  /** Its name is secret: it may be neither read nor written. */
  protected: z.literal(true).optional(),
});
export type TrackedEntry = z.infer<typeof trackedEntrySchema>;

/**
 * Lists what the Git index holds under a path. Refusals: `invalid_path`, `sensitive_path`,
 * `invalid_globs`, `not_a_git_repository`, `list_timeout`.
 */
export const listTrackedMethod = runnerMethod({
  name: 'search/tracked_files',
  params: z.strictObject({
    root: projectRootSchema,
    path: z.string(),
    /** A part of the path, whatever its case; null leaves it. */
    query: z.string().nullable(),
    globs: z.array(z.string()),
    /** Levels below `path` that are shown; null shows as many as fit into `limit`. */
    depth: count.nullable(),
    offset: count,
    limit: count,
  }),
  result: z.strictObject({
    entries: z.array(trackedEntrySchema),
    /** Entries in all, and the files that they stand for. */
    total_count: count,
    total_files: count,
    /** Levels below `path` that are shown; null when every file is. */
    depth: count.nullable(),
    /** Tracked files in bulk folders, which are not listed. */
    left_out: count,
  }),
  note: z.never(),
  effectful: false,
});

/** One entry of an overview: what it is, not what it holds. */
export const overviewEntrySchema = z.strictObject({
  path: z.string(),
  type: z.enum(['file', 'directory', 'link', 'other']),
  size_bytes: count.optional(),
  /** Entries directly in a folder. */
  entries: count.optional(),
  /** Git ignores it; the overview does not look into such a folder. */
  ignored: z.literal(true).optional(),
  /** Not looked into: `.git`, `target`, `node_modules`, or a secret name. */
  protected: z.literal(true).optional(),
});
export type OverviewEntry = z.infer<typeof overviewEntrySchema>;

/** Looks at the top levels of a folder, level by level. Refusals: `invalid_path`, `sensitive_path`, `not_directory`, `timeout`. */
export const overviewMethod = runnerMethod({
  name: 'search/overview',
  params: z.strictObject({ root: projectRootSchema, path: z.string(), max_depth: count, limit: count }),
  result: z.strictObject({
    path: z.string(),
    entries: z.array(overviewEntrySchema),
    /** Whether there is more on these levels than `limit` let through. */
    truncated: z.boolean(),
    /** Folders that could not be read. */
    unreadable: z.array(z.string()),
  }),
  note: z.never(),
  effectful: false,
});
