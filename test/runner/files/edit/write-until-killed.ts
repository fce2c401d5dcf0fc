import { writeFileSync } from 'node:fs';
import type { FileChange } from '../../../../src/protocol/runner/edits.js';
import type { ProjectRoot } from '../../../../src/protocol/runner/project-root.js';
import { verifyRoot } from '../../../../src/runner/confinement/index.js';
import { EditJournal } from '../../../../src/runner/files/edit/edit-journal.js';
import { planChange, planText, type PlanContext } from '../../../../src/runner/files/edit/plan-change.js';
import type { PlannedChange } from '../../../../src/runner/files/edit/planned-change.js';
import { writeChanges } from '../../../../src/runner/files/edit/write-changes.js';
import { isRefusal } from '../../../../src/runner/request.js';

/*
 * A process of its own that writes a batch and kills itself with SIGKILL at one of its
 * steps; without that step it writes to the end and leaves the number of steps in a file.
 */

export interface KilledWrite {
  readonly root: ProjectRoot;
  readonly journal: string;
  readonly changes: readonly (FileChange | { readonly kind: 'move'; readonly path: string; readonly to_path: string; readonly text: string })[];
  /** From 1; 0 for none. */
  readonly killAt: number;
  readonly steps: string;
}

const order = JSON.parse(process.argv[2] ?? '') as KilledWrite;
const root = await verifyRoot(order.root);
if (isRefusal(root)) throw new Error(root.refused.message);
const context: PlanContext = { root, project: 'p', signal: new AbortController().signal };
const planned: PlannedChange[] = [];
for (const [changeIndex, change] of order.changes.entries()) {
  const { path } = change;
  const plan =
    change.kind === 'move'
      ? await planText({ path, to_path: change.to_path }, { changeIndex, path }, context, () => ({ text: change.text }))
      : await planChange(change, changeIndex, context);
  if (isRefusal(plan)) throw new Error(plan.refused.message);
  planned.push(plan);
}
let steps = 0;
const outcome = await writeChanges(planned, new EditJournal(order.journal), () => {
  steps += 1;
  if (steps === order.killAt) process.kill(process.pid, 'SIGKILL');
  // The signal is on its way; nothing more may be done meanwhile.
  return steps === order.killAt ? new Promise<void>(() => undefined) : undefined;
});
if (!outcome.written) throw new Error(JSON.stringify(outcome));
writeFileSync(order.steps, String(steps));
