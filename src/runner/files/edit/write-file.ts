import type { z } from 'zod';
import type { EditResult, writeFileMethod } from '../../../protocol/runner/edits.js';
import type { Refusal } from '../../../protocol/runner/project-root.js';
import { isRefusal } from '../../request.js';
import { applyBatch, type BatchPlace } from './apply-batch.js';
import { planCreate, planWhole } from './plan-change.js';

/** Writes one whole file: a new one, or in the place of exactly the snapshot that was named (spec 04 §7.6). */
export function writeFile(params: z.output<typeof writeFileMethod.params>, place: BatchPlace): Promise<EditResult | Refusal> {
  const at = { changeIndex: 0, path: params.path };
  return applyBatch(
    { ...params, dry_run: false, include_diff: false },
    async (context) => {
      const planned = await (params.expected_read_revision === undefined
        ? planCreate(params, at, context)
        : planWhole(params, at, context));
      return isRefusal(planned) ? planned : [planned];
    },
    place,
  );
}
