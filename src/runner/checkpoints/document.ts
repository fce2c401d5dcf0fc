import { z } from 'zod';
import {
  checkpointMetadataSchema,
  CHECKPOINT_ID_PATTERN,
  skippedFileSchema,
  type CheckpointView,
} from '../../protocol/runner/checkpoints.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const oid = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/);
const count = z.number().int().nonnegative();

/** An entry of HEAD or of the index. */
const entrySchema = z.strictObject({ mode: z.string().regex(/^[0-7]{6}$/), oid });

/** What lies at a path of the work tree, by the digest of its raw bytes. */
export const workStateSchema = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('missing') }),
  /** `permissions`: the nine bits of the file's mode. */
  z.strictObject({ state: z.literal('file'), permissions: z.number().int().min(0).max(0o777), sha256 }),
  /** The content is where the link leads. */
  z.strictObject({ state: z.literal('link'), sha256 }),
  /** A submodule's folder; left as it is. */
  z.strictObject({ state: z.literal('submodule') }),
]);
export type WorkState = z.infer<typeof workStateSchema>;

const trackedSchema = z.strictObject({
  /** Project-relative. */
  path: z.string(),
  head: entrySchema.nullable(),
  /** `sha256` names the blob's bytes where they are kept: git may forget what nothing points to. */
  index: entrySchema.extend({ sha256: sha256.nullable() }).nullable(),
  work: workStateSchema,
});
export type TrackedState = z.infer<typeof trackedSchema>;

const sideStat = z.strictObject({ files: count, insertions: count, deletions: count, binary_files: count });

/** A checkpoint as it is kept; the bytes lie beside it in `content/`, named by their digest. */
export const checkpointSchema = z.strictObject({
  version: z.literal(1),
  checkpoint_id: z.string().regex(CHECKPOINT_ID_PATTERN),
  /** Unix milliseconds; orders checkpoints of one second. */
  created_at_ms: count,
  automatic: z.boolean(),
  metadata: checkpointMetadataSchema,
  root: z.string(),
  head: oid.nullable(),
  branch: z.string().nullable(),
  tracked: z.array(trackedSchema),
  untracked: z.array(z.strictObject({ path: z.string(), permissions: count, sha256 })),
  skipped: z.array(skippedFileSchema),
  diff_stat: z.strictObject({ staged: sideStat, unstaged: sideStat }),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** What callers see of a checkpoint. */
export function viewOf({ checkpoint_id, created_at_ms, metadata, automatic, head, branch, ...kept }: Checkpoint): CheckpointView {
  return {
    checkpoint_id,
    created_at: Math.floor(created_at_ms / 1000),
    ...metadata,
    automatic,
    head,
    branch,
    counts: { tracked: kept.tracked.length, untracked: kept.untracked.length, skipped: kept.skipped.length },
  };
}
