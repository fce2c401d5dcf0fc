import type { z } from 'zod';
import type { applyDiffMethod, EditResult } from '../../../protocol/runner/edits.js';
import type { Refusal } from '../../../protocol/runner/project-root.js';
import { isRefusal, refuse } from '../../request.js';
import { applyBatch, type BatchPlace } from '../edit/apply-batch.js';
import { NOTHING_WRITTEN, refuseChange } from '../edit/edit-refusal.js';
import { planChange, planCreate, planText, type PlanContext } from '../edit/plan-change.js';
import type { PlannedChange } from '../edit/planned-change.js';
import { applyHunks } from './apply-hunks.js';
import { parseDiff, type DiffSection } from './parse-diff.js';

/** Applies a unified diff as one batch (spec 04 §7.6). */
export function applyDiff(params: z.output<typeof applyDiffMethod.params>, place: BatchPlace): Promise<EditResult | Refusal> {
  const allowsFolder = params.deny_sensitive_paths ? undefined : isOutsideGit;
  return applyBatch(
    { ...params, dry_run: false, include_diff: false },
    (context) => planDiff(params.diff, { ...context, ...(allowsFolder === undefined ? {} : { allowsFolder }) }),
    place,
  );
}

/** What lies in a `.git` decides what git runs. */
function isOutsideGit(relative: string): boolean {
  return !relative.toLowerCase().split('/').includes('.git');
}

async function planDiff(diff: string, context: PlanContext): Promise<readonly PlannedChange[] | Refusal> {
  const sections = parseDiff(diff);
  if ('problem' in sections) return refuse('invalid_patch', `This is no diff that can be applied: ${sections.problem}.`, { ...NOTHING_WRITTEN });
  const planned: PlannedChange[] = [];
  for (const [changeIndex, section] of sections.entries()) {
    const plan = await planSection(section, changeIndex, context);
    if (isRefusal(plan)) return plan;
    planned.push(plan);
  }
  return planned;
}

async function planSection(section: DiffSection, changeIndex: number, context: PlanContext): Promise<PlannedChange | Refusal> {
  const { path, hunks } = section;
  const at = { changeIndex, path };
  switch (section.kind) {
    case 'create': {
      const content = applyHunks('', hunks);
      if (!('text' in content)) return refuseChange('invalid_patch', 'A new file takes lines away.', at);
      return planCreate({ path, content: content.text, isExecutable: section.isExecutable }, at, context);
    }
    case 'delete': {
      const emptied = await planText({ path }, at, context, (text) => applyHunks(text, hunks));
      if (isRefusal(emptied)) return emptied;
      if (emptied.kind === 'edit' && emptied.newBytes.length > 0) {
        return refuseChange('patch_not_applicable', 'The diff deletes a file that has more lines than it takes away.', at);
      }
      return planChange({ kind: 'delete', path }, changeIndex, context);
    }
    case 'change': {
      const { toPath } = section;
      if (hunks.length === 0 && toPath !== undefined) return planChange({ kind: 'rename', path, to_path: toPath }, changeIndex, context);
      return planText({ path, to_path: toPath }, at, context, (text) => applyHunks(text, hunks));
    }
  }
}
