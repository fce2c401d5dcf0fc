import { z } from 'zod';
import { runnerMethod } from './method.js';
import { projectRootSchema } from './project-root.js';

/** What a work tree should not hold, or not for long (spec 04 §7.8). */
export const HYGIENE_FINDINGS = [
  'temporary_file',
  'cache_path',
  'secret_like_path',
  'large_untracked_file',
  'dirty_worktree',
] as const;
export type HygieneFindingKind = (typeof HYGIENE_FINDINGS)[number];

export const hygieneFindingSchema = z.strictObject({
  kind: z.enum(HYGIENE_FINDINGS),
  /** Project-relative; null for what concerns the work tree as a whole. */
  path: z.string().nullable(),
  tracked: z.boolean().nullable(),
  /** Only of large files. */
  bytes: z.number().int().nonnegative().optional(),
});
export type HygieneFinding = z.infer<typeof hygieneFindingSchema>;

export const hygieneReportSchema = z.strictObject({
  is_repository: z.boolean(),
  findings: z.array(hygieneFindingSchema),
  total: z.number().int().nonnegative(),
  counts: z.record(z.enum(HYGIENE_FINDINGS), z.number().int().nonnegative()),
  checked_files: z.number().int().nonnegative(),
});
export type HygieneReport = z.infer<typeof hygieneReportSchema>;

/** Judges the names of untracked files, and of tracked ones when asked to; no content is read. */
export const hygieneMethod = runnerMethod({
  name: 'git/hygiene',
  params: z.strictObject({
    root: projectRootSchema,
    include_tracked: z.boolean(),
    max_findings: z.number().int().nonnegative(),
  }),
  result: hygieneReportSchema,
  note: z.never(),
  effectful: false,
});
