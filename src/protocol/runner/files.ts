import { z } from 'zod';
import { runnerMethod } from './method.js';
import { projectRootSchema } from './project-root.js';

const nothing = z.never();
const count = z.number().int().nonnegative();
const position = z.number().int().min(1);

/**
 * What a project's read revisions are bound to beside its path and content: the
 * registered id, so that a revision of one project means nothing in another.
 */
const projectId = z.string();

/** The most bytes of text that one item of a read gives back. */
export const MAX_RANGE_BYTES = 192 * 1024;
/** The most items of one read. */
export const MAX_READ_ITEMS = 8;

/** Names one snapshot: a project, a path and the SHA-256 of the content. */
export const readRevisionSchema = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** A part of a batch that failed; the batch goes on. */
export const failedItemSchema = z.strictObject({
  index: count,
  success: z.literal(false),
  path: z.string(),
  error_kind: z.string(),
  reason_code: z.string().nullable(),
  message: z.string(),
});
export type FailedItem = z.infer<typeof failedItemSchema>;

export const readItemSchema = z.strictObject({
  index: count,
  success: z.literal(true),
  path: z.string(),
  /** Whole lines with their line endings, at most `MAX_RANGE_BYTES`. */
  text: z.string(),
  start_line: position,
  /** Lines in `text`. */
  line_count: count,
  total_lines: count,
  size_bytes: count,
  sha256: z.string(),
  read_revision: readRevisionSchema,
});
export type ReadItem = z.infer<typeof readItemSchema>;

/**
 * Reads ranges of files, each against one whole snapshot of it. Items fail one by one
 * (`invalid_path`, `sensitive_path`, `not_found`, `not_file`, `permission_denied`,
 * `not_utf8`, `stale_read_revision`, `range_too_large`, `timeout`, `io_error`).
 */
export const readFilesMethod = runnerMethod({
  name: 'files/read',
  params: z.strictObject({
    root: projectRootSchema,
    project: projectId,
    items: z.array(
      z.strictObject({
        path: z.string(),
        start_line: position,
        limit: position,
        expected_read_revision: readRevisionSchema.optional(),
      }),
    ),
    /** More text than this is not worth sending for one item; at least one line is. */
    max_text_bytes: count,
  }),
  result: z.strictObject({ items: z.array(z.discriminatedUnion('success', [readItemSchema, failedItemSchema])) }),
  note: nothing,
  effectful: false,
});

export const listedEntrySchema = z.strictObject({
  /** Project-relative; bytes that are no UTF-8 show as U+FFFD, and `path_is_lossy` says so. */
  path: z.string(),
  path_is_lossy: z.literal(true).optional(),
  type: z.enum(['file', 'directory', 'link', 'other']),
  /** Regular files only. */
  size_bytes: count.optional(),
  /** Its name is secret: it may be neither read nor written. */
  protected: z.literal(true).optional(),
});

/** Lists one folder by name, bulk folders (`.git`, `target`, `node_modules`) left out. */
export const listFilesMethod = runnerMethod({
  name: 'files/list',
  params: z.strictObject({ root: projectRootSchema, path: z.string(), offset: count, limit: position }),
  result: z.strictObject({
    path: z.string(),
    entries: z.array(listedEntrySchema),
    total_count: count,
    /** Names of this folder that were left out as bulk. */
    left_out: z.array(z.string()),
  }),
  note: nothing,
  effectful: false,
});
