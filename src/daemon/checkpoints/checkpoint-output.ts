import { z } from 'zod';
import { CHECKPOINT_KINDS } from '../../protocol/runner/checkpoints.js';

/** A checkpoint in outputs: what it is, never what it holds. */
export const checkpointOutput = z.looseObject({
  checkpoint_id: z.string(),
  created_at: z.int(),
  kind: z.enum(CHECKPOINT_KINDS),
  title: z.string().nullable(),
  head: z.string().nullable(),
});
