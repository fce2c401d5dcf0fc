import { z } from 'zod';
import { failedItemSchema } from './files.js';
import { runnerMethod } from './method.js';
import { projectRootSchema } from './project-root.js';

const count = z.number().int().nonnegative();

export const RESULT_MODES = ['matches', 'files_with_matches', 'count'] as const;
export const PATTERN_MODES = ['regex', 'literal'] as const;
/** The most queries of one search. */
export const MAX_QUERIES = 8;

/** One line, or a few when the pattern spans lines, that matched. */
export const matchSchema = z.strictObject({
  /** Project-relative; bytes that are no UTF-8 show as U+FFFD. */
  path: z.string(),
  line: count,
  /** Of the first match in the line, counted in Unicode scalars from 1. */
  column: count,
  text: z.string(),
  /** A very long line shows the surroundings of its first match only. */
  is_cut: z.literal(true).optional(),
  before: z.array(z.string()).optional(),
  after: z.array(z.string()).optional(),
});
export type TextMatch = z.infer<typeof matchSchema>;

/** What a search passed over under its path (spec 00, decision 34). */
export const leftOutSchema = z.strictObject({
  /** Ignored by Git or an ignore file: entries, whole folders counting as one, and the folders' names. */
  ignored: count,
  ignored_folders: z.array(z.string()),
  binary_files: count,
  too_large_files: count,
  /** Secret names, and bulk folders (`.git`, `target`, `node_modules`). */
  protected: count,
  nested_repositories: z.array(z.string()),
  /** So many files are left out that they were not all counted. */
  at_least: z.literal(true).optional(),
});
export type LeftOut = z.infer<typeof leftOutSchema>;

export const foundItemSchema = z.strictObject({
  index: count,
  success: z.literal(true),
  result_mode: z.enum(RESULT_MODES),
  /** The page of records that was asked for, sorted by path and line; exactly one of these by the mode. */
  matches: z.array(matchSchema).optional(),
  files: z.array(z.string()).optional(),
  counts: z.array(z.strictObject({ path: z.string(), count })).optional(),
  /** Records in all; a lower bound unless `total_is_exact`. */
  total_count: count,
  total_is_exact: z.boolean(),
  left_out: leftOutSchema,
  /** Files or folders that could not be read; what they hold is not known. */
  unreadable: count,
});
export type FoundItem = z.infer<typeof foundItemSchema>;

export const searchQuerySchema = z.strictObject({
  pattern: z.string(),
  pattern_mode: z.enum(PATTERN_MODES),
  path: z.string(),
  limit: count,
  offset: count,
  context_before: count,
  context_after: count,
  include_globs: z.array(z.string()),
  exclude_globs: z.array(z.string()),
  include_ignored: z.boolean(),
  result_mode: z.enum(RESULT_MODES),
  timeout_ms: count,
});
export type SearchQuery = z.infer<typeof searchQuerySchema>;

/**
 * Searches a project's files. Queries fail one by one: `invalid_pattern`,
 * `invalid_path`, `invalid_glob`, `search_timeout`, `search_execution_failed`,
 * `search_backend_feature_unavailable`. No records means that everything under the path
 * that was not left out was searched to its end.
 */
export const searchTextsMethod = runnerMethod({
  name: 'search/texts',
  params: z.strictObject({
    root: projectRootSchema,
    queries: z.array(searchQuerySchema).min(1).max(MAX_QUERIES),
    /** The bound on all queries together, in milliseconds. */
    bound_ms: count,
    /** More text of one query than this is not worth sending. */
    max_text_bytes: count,
  }),
  result: z.strictObject({ items: z.array(z.discriminatedUnion('success', [foundItemSchema, failedItemSchema])) }),
  note: z.never(),
  effectful: false,
});
