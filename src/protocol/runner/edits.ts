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

function text(description: string): z.ZodString {
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

const needle = (description: string): z.ZodString => text(description).min(1);

export const exactEditSchema = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('replace_exact'),
      old_text: needle('Text that stands in the file exactly so'),
      new_text: text('What takes its place').default(''),
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
    new_text: text('What is inserted'),
    occurrence,
    line_scope: lineScope,
  }),
  z.strictObject({
    kind: z.literal('insert_after'),
    anchor_text: needle('Text that stands in the file exactly so'),
    new_text: text('What is inserted'),
    occurrence,
    line_scope: lineScope,
  }),
  z
    .strictObject({
      kind: z.literal('replace_range'),
      start_line: line,
      end_line: line,
      new_text: text('Lines that take the place of these lines; empty deletes them'),
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
  z.strictObject({ kind: z.literal('create'), path, content: text('The whole new file') }),
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
});
export type EditedFile = z.infer<typeof editedFileSchema>;

/**
 * Applies a batch of changes as one: every file is checked before the first is
 * written, and a failure while writing takes back what was written.
 */
export const editFilesMethod = runnerMethod({
  name: 'files/edit',
  params: z.strictObject({
    root: projectRootSchema,
    project: z.string(),
    changes: z.array(fileChangeSchema).min(1).max(MAX_CHANGES),
    dry_run: z.boolean(),
  }),
  result: z.strictObject({
    /** Whether the files differ, or would after a dry run. */
    would_change: z.boolean(),
    /** Changes that were written. */
    applied_count: z.number().int().nonnegative(),
    files: z.array(editedFileSchema),
  }),
  note: z.never(),
  effectful: true,
});
