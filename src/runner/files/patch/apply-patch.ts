import type { z } from 'zod';
import type { applyPatchMethod, EditResult, MatchingMode } from '../../../protocol/runner/edits.js';
import type { Refusal } from '../../../protocol/runner/project-root.js';
import { isRefusal, refuse } from '../../request.js';
import { applyBatch, type BatchPlace } from '../edit/apply-batch.js';
import { NOTHING_WRITTEN } from '../edit/edit-refusal.js';
import { planChange, planCreate, planText, type PlanContext } from '../edit/plan-change.js';
import type { PlannedChange } from '../edit/planned-change.js';
import { parsePatch, type PatchSection } from './parse-patch.js';
import { patchText } from './patch-text.js';

/** Applies a patch of the `*** Begin Patch` format as one batch (spec 04 §7.6). */
export function applyPatch(params: z.output<typeof applyPatchMethod.params>, place: BatchPlace): Promise<EditResult | Refusal> {
  return applyBatch(params, (context) => planPatch(params, context), place);
}

async function planPatch(
  { patch, matching_mode: mode }: z.output<typeof applyPatchMethod.params>,
  context: PlanContext,
): Promise<readonly PlannedChange[] | Refusal> {
  const sections = parsePatch(patch);
  if ('problem' in sections) {
    const { patchLine, problem } = sections;
    return refuse('invalid_patch', `Line ${patchLine} of the patch: ${problem}.`, { ...NOTHING_WRITTEN, patch_line: patchLine });
  }
  const planned: PlannedChange[] = [];
  for (const [changeIndex, section] of sections.entries()) {
    const plan = await planSection(section, changeIndex, mode, context);
    if (isRefusal(plan)) return plan;
    planned.push(plan);
  }
  return planned;
}

function planSection(
  section: PatchSection,
  changeIndex: number,
  mode: MatchingMode,
  context: PlanContext,
): Promise<PlannedChange | Refusal> {
  const { path } = section;
  const at = { changeIndex, path };
  switch (section.kind) {
    case 'add':
      return planCreate(section, at, context);
    case 'delete':
      return planChange({ kind: 'delete', path }, changeIndex, context);
    case 'update': {
      const { hunks, toPath } = section;
      if (hunks.length === 0 && toPath !== undefined) return planChange({ kind: 'rename', path, to_path: toPath }, changeIndex, context);
      return planText({ path, to_path: toPath }, at, context, (text) => patchText(text, hunks, mode));
    }
  }
}
