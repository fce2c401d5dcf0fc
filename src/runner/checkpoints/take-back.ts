import { unlink } from 'node:fs/promises';
import { indexEntries, type RestorePlan } from './restore-plan.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { setIndexEntries } from '../git/index-entries.js';
import type { WorkTree } from '../git/work-tree.js';
import { isRefusal } from '../request.js';
import { siblingOf, takeSteps, type FileStep, type ReadBytes } from './restore-files.js';
import { findState, isSameWork } from './work-state.js';

/** What was not taken back, because it is neither what it was nor what it was to become. */
export interface TakenBack {
  readonly leftPaths: readonly string[];
}

/**
 * Takes a restore back, however far it came: by what is there and not by what is
 * remembered, so that it is the same after a failure and after a crash. What somebody
 * else changed meanwhile is left as it is.
 */
export async function takeBack(
  tree: WorkTree,
  plan: RestorePlan,
  context: { readonly mark: string; readonly bytes: ReadBytes },
): Promise<TakenBack | Refusal> {
  const root = tree.call.folder;
  const left: string[] = [];
  const steps: FileStep[] = [];
  for (const { path, before, after } of plan.work) {
    await unlink(siblingOf(root, path, context.mark)).catch(() => undefined);
    const found = await findState(root, path, Number.MAX_SAFE_INTEGER);
    const now = typeof found === 'string' ? { state: 'missing' as const } : found.state;
    if (isSameWork(now, before)) continue;
    if (isSameWork(now, after)) steps.push({ path, from: now, to: before });
    else left.push(path);
  }
  await takeSteps(root, steps, { ...context, taken: () => undefined });
  const index = await indexBack(tree, plan);
  return index ?? { leftPaths: left };
}

async function indexBack(tree: WorkTree, plan: RestorePlan): Promise<Refusal | null> {
  const now = await indexEntries(tree, plan.index.map(({ path }) => path.slice(tree.prefix.length)));
  if (isRefusal(now)) return now;
  const moved = plan.index.filter(({ path, after }) => {
    const entry = now.get(path.slice(tree.prefix.length)) ?? null;
    return entry?.oid === after?.oid && entry?.mode === after?.mode;
  });
  return setIndexEntries(tree, moved.map(({ path, before }) => ({ path, entry: before })));
}
