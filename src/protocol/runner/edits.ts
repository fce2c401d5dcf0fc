import { z } from 'zod';
import { readRevisionSchema } from './files.js';
import { runnerMethod } from './method.js';
import { projectRootSchema } from './project-root.js';

/*
 * Exact edits (spec 04 §7.6; spec 00, decision 46). The shapes of a change are the
 * tool's input and travel to the Runner as they are.
 */

/** The most bytes of one text field, of all text of one request, and the most of each list. */
export const MAX_EDIT_FIELD_BYTES = 512 * 1024;
export const MAX_EDIT_REQUEST_BYTES = 1024 * 1024;
export const MAX_CHANGES = 16;
export const MAX_EDITS = 20;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Text that goes into a file. */
export function fileText(description: string): z.ZodString {
  return z
    .string()
    .refine((value) => Buffer.byteLength(value) <= MAX_EDIT_FIELD_BYTES, 'is longer than 512 KiB')
    .refine((value) => !value.includes('\0'), 'has a NUL character')
    .refine((value) => !LONE_SURROGATE.test(value), 'is not well-formed Unicode')
    .meta({ description });
}

const path = z.string().min(1).meta({ description: 'Project-relative path' });
const guard = readRevisionSchema.optional().meta({ description: 'read_revision that the file must still have' });
const line = z.int().min(1);

const lineScope = z
  .strictObject({ start_line: line, end_line: line })
  .refine((scope) => scope.start_line <= scope.end_line, 'ends before it starts')
  .optional()
  .meta({ description: 'Only matches that lie in these lines (both included) count' });
const occurrence = z
  .int()
  .min(1)
  .optional()
  .meta({ description: 'Which match, counted over the whole file from 1' });

const needle = (description: string): z.ZodString => fileText(description).min(1);

export const exactEditSchema = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('replace_exact'),
      old_text: needle('Text that stands in the file exactly so'),
      new_text: fileText('What takes its place').default(''),
      occurrence,
      line_scope: lineScope,
      expected_match_count: z
        .int()
        .min(1)
        .max(1024)
        .optional()
        .meta({ description: 'Replace all matches, which must be this many; excludes occurrence' }),
    })
    .refine(
      (edit) => edit.occurrence === undefined || edit.expected_match_count === undefined,
      'takes occurrence or expected_match_count, not both',
    ),
  z.strictObject({
    kind: z.literal('delete_exact'),
    old_text: needle('Text that stands in the file exactly so'),
    occurrence,
    line_scope: lineScope,
  }),
  z.strictObject({
    kind: z.literal('insert_before'),
    anchor_text: needle('Text that stands in the file exactly so'),
    new_text: fileText('What is inserted'),
    occurrence,
    line_scope: lineScope,
  }),
  z.strictObject({
    kind: z.literal('insert_after'),
    anchor_text: needle('Text that stands in the file exactly so'),
    new_text: fileText('What is inserted'),
    occurrence,
    line_scope: lineScope,
  }),
  z
    .strictObject({
      kind: z.literal('replace_range'),
      start_line: line,
      end_line: line,
      new_text: fileText('Lines that take the place of these lines; empty deletes them'),
    })
    .refine((edit) => edit.start_line <= edit.end_line, 'ends before it starts'),
]);
export type ExactEdit = z.infer<typeof exactEditSchema>;

export const fileChangeSchema = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('edit'),
      path,
      expected_read_revision: guard,
      edits: z.array(exactEditSchema).min(1).max(MAX_EDITS),
    })
    .refine(
      (change) =>
        change.expected_read_revision !== undefined || change.edits.every((edit) => edit.kind !== 'replace_range'),
      'replace_range needs expected_read_revision: line numbers mean nothing without their snapshot',
    ),
  z.strictObject({ kind: z.literal('create'), path, content: fileText('The whole new file') }),
  z.strictObject({ kind: z.literal('delete'), path, expected_read_revision: guard }),
  z.strictObject({ kind: z.literal('rename'), path, to_path: path, expected_read_revision: guard }),
]);
export type FileChange = z.infer<typeof fileChangeSchema>;

/** What makes exact edits inapplicable to a snapshot. */
export const CONFLICT_KINDS = [
  'multiple_matches',
  'match_not_found',
  'occurrence_out_of_range',
  'overlapping_edits',
  'sha256_mismatch',
  'occurrence_outside_line_scope',
  'match_count_mismatch',
] as const;
export type ConflictKind = (typeof CONFLICT_KINDS)[number];

export const editedFileSchema = z.strictObject({
  kind: z.enum(['edit', 'create', 'delete', 'rename']),
  path: z.string(),
  to_path: z.string().nullable(),
  /** Null where there is no file on that side. */
  old_sha256: z.string().nullable(),
  new_sha256: z.string().nullable(),
  /** The guard for the next edit of the file; null when it is gone. */
  read_revision: readRevisionSchema.nullable(),
  changed: z.boolean(),
  /** The change as hunks of a unified diff, where it was asked for and is not too long; else left out. */
  diff: z.string().optional(),
});
export type EditedFile = z.infer<typeof editedFileSchema>;

/** The most bytes of a patch or a diff, and of a file that is written whole. */
export const MAX_PATCH_BYTES = 262_144;
export const MAX_WRITTEN_BYTES = 256 * 1024;

/**
 * How the lines of a patch find theirs in a file (spec 04 §7.6):
 * - `unique`: the first of four tiers that finds any must find one alone;
 * - `exact_unique`: the exact tier only, and one alone;
 * - `first_match`: the first one of the first tier that finds any.
 */
export const MATCHING_MODES = ['unique', 'exact_unique', 'first_match'] as const;
export type MatchingMode = (typeof MATCHING_MODES)[number];

const batch = { root: projectRootSchema, project: z.string() };

const editResult = z.strictObject({
  /** Whether the files differ, or would after a dry run. */
  would_change: z.boolean(),
  /** Changes that were written. */
  applied_count: z.number().int().nonnegative(),
  files: z.array(editedFileSchema),
});
export type EditResult = z.infer<typeof editResult>;

/**
 * Applies a batch of changes as one: every file is checked before the first is
 * written, and a failure while writing takes back what was written.
 */
export const editFilesMethod = runnerMethod({
  name: 'files/edit',
  params: z.strictObject({
    ...batch,
    changes: z.array(fileChangeSchema).min(1).max(MAX_CHANGES),
    dry_run: z.boolean(),
    include_diff: z.boolean(),
  }),
  result: editResult,
  note: z.never(),
  effectful: true,
});

/** Applies a patch of the `*** Begin Patch` format as one batch. */
export const applyPatchMethod = runnerMethod({
  name: 'files/apply_patch',
  params: z.strictObject({
    ...batch,
    patch: z.string(),
    matching_mode: z.enum(MATCHING_MODES),
    dry_run: z.boolean(),
    include_diff: z.boolean(),
  }),
  result: editResult,
  note: z.never(),
  effectful: true,
});

/** Applies a unified diff as one batch, each hunk exactly where it says. */
export const applyDiffMethod = runnerMethod({
  name: 'files/apply_diff',
  params: z.strictObject({
    ...batch,
    diff: z.string(),
    /** False lets `target` and `node_modules` through; secrets and `.git` never pass. */
    deny_sensitive_paths: z.boolean(),
  }),
  result: editResult,
  note: z.never(),
  effectful: true,
});

/** Writes one whole file. */
export const writeFileMethod = runnerMethod({
  name: 'files/write',
  params: z.strictObject({
    ...batch,
    path,
    content: z.string(),
    /** The snapshot that is overwritten; left out for a new file. */
    expected_read_revision: readRevisionSchema.optional(),
  }),
  result: editResult,
  note: z.never(),
  effectful: true,
});
