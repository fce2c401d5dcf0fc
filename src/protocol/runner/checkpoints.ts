import { z } from 'zod';
import { runnerMethod } from './method.js';
import { projectRootSchema } from './project-root.js';

const count = z.number().int().nonnegative();

/** `wc_ckpt_` + 32 hex. */
export const CHECKPOINT_ID_PATTERN = /^wc_ckpt_[0-9a-f]{32}$/;
const checkpointId = z.string().regex(CHECKPOINT_ID_PATTERN);

/** What a checkpoint is kept for (spec 04 §7.8). */
export const CHECKPOINT_KINDS = [
  'snapshot',
  'baseline',
  'before_refactor',
  'after_refactor',
  'last_known_good',
  'rollback_candidate',
] as const;
export const CHECKPOINT_VALIDATIONS = ['unknown', 'not_run', 'passed', 'failed'] as const;

/** What a caller says of a checkpoint. None of it is proven, `validation` included. */
export const checkpointMetadataSchema = z.strictObject({
  title: z.string().nullable(),
  note: z.string().nullable(),
  kind: z.enum(CHECKPOINT_KINDS),
  labels: z.array(z.string()),
  validation: z
    .strictObject({ status: z.enum(CHECKPOINT_VALIDATIONS), commands: z.array(z.string()), summary: z.string().nullable() })
    .nullable(),
});
export type CheckpointMetadata = z.infer<typeof checkpointMetadataSchema>;

const sideStat = z.strictObject({ files: count, insertions: count, deletions: count, binary_files: count });
export type SideStat = z.infer<typeof sideStat>;

export const skippedFileSchema = z.strictObject({ path: z.string(), reason_code: z.string() });

/** A checkpoint without the content of any file. */
export const checkpointViewSchema = z.strictObject({
  checkpoint_id: checkpointId,
  /** Unix seconds. */
  created_at: z.number().int(),
  ...checkpointMetadataSchema.shape,
  /** Made by a restore, of the state that it replaced. */
  automatic: z.boolean(),
  /** Null before the first commit. */
  head: z.string().nullable(),
  branch: z.string().nullable(),
  counts: z.strictObject({ tracked: count, untracked: count, skipped: count }),
});
export type CheckpointView = z.infer<typeof checkpointViewSchema>;

/** A restore that was cut off by a crash and taken back when the next Runner came. */
export const recoverySchema = z.strictObject({
  checkpoint_id: checkpointId,
  recovered_at: z.number().int(),
  /** What somebody changed meanwhile and what was therefore left as it is. */
  left_paths: z.array(z.string()),
});
export type Recovery = z.infer<typeof recoverySchema>;

/**
 * Keeps what differs from HEAD under the project's folder. Nothing of the repository is
 * written. Refusals: `not_a_git_repository`, `checkpoint_too_large`,
 * `sensitive_or_invalid_path`, `unsafe_current_state`, `checkpoint_limit_reached`.
 */
export const createCheckpointMethod = runnerMethod({
  name: 'checkpoints/create',
  params: z.strictObject({ root: projectRootSchema, metadata: checkpointMetadataSchema, include_untracked: z.boolean() }),
  result: z.strictObject({ checkpoint: checkpointViewSchema, skipped_files: z.array(skippedFileSchema) }),
  note: z.never(),
  effectful: true,
});

/** The newest first. */
export const listCheckpointsMethod = runnerMethod({
  name: 'checkpoints/list',
  params: z.strictObject({ root: projectRootSchema, limit: count }),
  result: z.strictObject({
    checkpoints: z.array(checkpointViewSchema),
    total: count,
    last_recovery: recoverySchema.nullable(),
  }),
  note: z.never(),
  effectful: false,
});

/** The most paths and skipped files that a checkpoint names. */
export const MAX_CHECKPOINT_PATHS = 200;

export const readCheckpointMethod = runnerMethod({
  name: 'checkpoints/read',
  params: z.strictObject({ root: projectRootSchema, checkpoint_id: z.string() }),
  result: z.strictObject({
    checkpoint: checkpointViewSchema,
    paths: z.array(z.string()),
    untracked_paths: z.array(z.string()),
    skipped_files: z.array(skippedFileSchema),
    diff_stat: z.strictObject({ staged: sideStat, unstaged: sideStat }),
  }),
  note: z.never(),
  effectful: false,
});

/**
 * Brings index and files back to a checkpoint, or leaves everything as it was. Refusals:
 * `unknown_checkpoint`, `invalid_checkpoint`, `head_mismatch`, `untracked_conflict`,
 * `unsafe_current_state`, and `restore_failed` with `rolled_back`.
 */
export const restoreCheckpointMethod = runnerMethod({
  name: 'checkpoints/restore',
  params: z.strictObject({ root: projectRootSchema, checkpoint_id: z.string() }),
  result: z.strictObject({
    checkpoint_id: checkpointId,
    /** What holds the state that was replaced; null when that was HEAD's own, or nothing changed. */
    previous_state_checkpoint_id: checkpointId.nullable(),
    changed_paths: z.array(z.string()),
    index_changed: z.boolean(),
  }),
  note: z.never(),
  effectful: true,
});

export const deleteCheckpointMethod = runnerMethod({
  name: 'checkpoints/delete',
  params: z.strictObject({ root: projectRootSchema, checkpoint_id: z.string() }),
  result: z.strictObject({ checkpoint_id: checkpointId }),
  note: z.never(),
  effectful: true,
});
