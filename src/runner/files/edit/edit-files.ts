import type { z } from 'zod';
import type { EditResult, editFilesMethod } from '../../../protocol/runner/edits.js';
import type { Refusal } from '../../../protocol/runner/project-root.js';
import { isRefusal } from '../../request.js';
import { applyBatch, type BatchPlace } from './apply-batch.js';
import { planChange } from './plan-change.js';
import type { PlannedChange } from './planned-change.js';

/** Applies exact edits, new files, deletions and renames as one (spec 04 §7.6). */
export function editFiles(params: z.output<typeof editFilesMethod.params>, place: BatchPlace): Promise<EditResult | Refusal> {
  return applyBatch(
    params,
    async (context) => {
      const planned: PlannedChange[] = [];
      for (const [changeIndex, change] of params.changes.entries()) {
        const plan = await planChange(change, changeIndex, context);
        if (isRefusal(plan)) return plan;
        planned.push(plan);
      }
      return planned;
    },
    place,
  );
}
