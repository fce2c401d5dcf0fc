import { join } from 'node:path';
import type { z } from 'zod';
import type { restoreCheckpointMethod } from '../../protocol/runner/checkpoints.js';
import type { ProjectRoot, Refusal } from '../../protocol/runner/project-root.js';
import { headOf } from '../git/head-of.js';
import { setIndexEntries } from '../git/index-entries.js';
import { gitOperation } from '../git/operation.js';
import { gitBytes } from '../git/run-git.js';
import type { WorkTree } from '../git/work-tree.js';
import { isRefusal, refuse } from '../request.js';
import { capture, type Captured } from './capture.js';
import { DamagedContent } from './contents.js';
import type { Checkpoint } from './document.js';
import { beginJournal, endJournal, journalBytes, markOf } from './journal.js';
import { ChangedMeanwhile, takeSteps } from './restore-files.js';
import { planRestore, type PlannedRestore } from './restore-plan.js';
import { invalidCheckpoint, unlessNotStored, type CheckpointStore } from './store.js';
import { takeBack } from './take-back.js';

type Answer = z.input<typeof restoreCheckpointMethod.result>;

/** What restoring may take once it has begun, in milliseconds. */
const RESTORE_MS = 60_000;

export interface RestoreContext {
  readonly root: ProjectRoot;
  readonly tree: WorkTree;
  readonly store: CheckpointStore;
  /** Makes the checkpoint that keeps what is about to be replaced; null when nothing differs from HEAD. */
  readonly keepCurrent: (current: Captured, restored: Checkpoint) => Promise<string | null | Refusal>;
}

/**
 * Brings index and files back to a checkpoint (spec 04 §7.8), or leaves everything as it
 * was. What is replaced is first kept as a checkpoint of its own; the way back is on the
 * disk before the first thing changes, so that a crash in the middle is taken back too.
 */
export async function restore(checkpoint: Checkpoint, context: RestoreContext): Promise<Answer | Refusal> {
  const { tree, store } = context;
  const { checkpoint_id: id } = checkpoint;
  const operation = await gitOperation(tree.gitFolder);
  if (operation !== null) return unsafe(`The repository is in the middle of a ${operation}; end it first.`, { reason_code: operation });
  const head = await headOf(tree.call);
  if (isRefusal(head)) return head;
  if (head.commit !== checkpoint.head) return headMismatch(checkpoint, head.commit);
  const current = await capture(tree, { untracked: false });
  if (isRefusal(current)) return asUnsafe(current);
  if (current.head.commit !== checkpoint.head) return headMismatch(checkpoint, current.head.commit);
  const planned = await planOrRefuse(context, checkpoint, current);
  if (isRefusal(planned)) return planned;
  const { plan } = planned;
  if (plan.index.length === 0 && plan.work.length === 0) {
    return { checkpoint_id: id, previous_state_checkpoint_id: null, changed_paths: [], index_changed: false };
  }
  if (tree.call.signal.aborted) return refuse('cancelled', 'The call was cancelled; nothing was restored.', { state_changed: false });
  const kept = await context.keepCurrent(current, checkpoint);
  if (kept !== null && typeof kept !== 'string') return kept;
  const unwritten = await unlessNotStored(() => beginJournal(store, { checkpoint_id: id, root: context.root, plan }, planned));
  if (unwritten !== null) {
    if (kept !== null) await store.remove(kept);
    return unwritten;
  }
  const failed = await carryOut({ ...tree, call: { ...tree.call, signal: AbortSignal.timeout(RESTORE_MS) } }, planned, context, id);
  if (failed !== null) {
    // Nothing was replaced, so that nothing need be kept of it.
    if (kept !== null && failed.refused.detail['rolled_back'] === true) await store.remove(kept);
    return failed;
  }
  await endJournal(store);
  return {
    checkpoint_id: id,
    previous_state_checkpoint_id: kept,
    changed_paths: plan.work.map(({ path }) => path),
    index_changed: plan.index.length > 0,
  };
}

async function planOrRefuse(context: RestoreContext, checkpoint: Checkpoint, current: Captured): Promise<PlannedRestore | Refusal> {
  const { tree, store } = context;
  try {
    return await planRestore(tree, checkpoint, store.contentFolder(checkpoint.checkpoint_id), current);
  } catch (error) {
    if (error instanceof DamagedContent) return invalidCheckpoint(checkpoint.checkpoint_id);
    throw error;
  }
}

/** Index first, by git's own lock, then the files; on any failure everything is taken back. */
async function carryOut(tree: WorkTree, { plan, blobs }: PlannedRestore, { store }: RestoreContext, id: string): Promise<Refusal | null> {
  const steps = { mark: markOf({ checkpoint_id: id }), bytes: journalBytes(store) };
  const taken = new Set<string>();
  let cause: unknown = await storeBlobs(tree, store, blobs);
  cause ??= await setIndexEntries(tree, plan.index.map(({ path, after }) => ({ path, entry: after })));
  if (cause === null) {
    try {
      const files = plan.work.map(({ path, before, after }) => ({ path, from: before, to: after }));
      await takeSteps(tree.call.folder, files, { ...steps, taken: ({ path }) => taken.add(path) });
      return null;
    } catch (error) {
      cause = error;
    }
  }
  const back = await takeBack(tree, plan, steps).catch((error: unknown) => error as Error);
  const isBack = !(back instanceof Error) && !isRefusal(back) && !back.leftPaths.some((path) => taken.has(path));
  // What could not be taken back now is tried again by whoever comes next.
  if (isBack) await endJournal(store);
  return restoreFailed(cause, isBack);
}

/** Gives git the staged content back, in case that it was forgotten meanwhile. */
async function storeBlobs(tree: WorkTree, store: CheckpointStore, digests: readonly string[]): Promise<Refusal | null> {
  if (digests.length === 0) return null;
  const input = digests.map((sha256) => `${join(store.restoreFolder, 'content', sha256)}\n`).join('');
  const output = await gitBytes(tree.call, ['hash-object', '-w', '--no-filters', '--stdin-paths'], { input });
  return isRefusal(output) ? output : null;
}

function restoreFailed(cause: unknown, isBack: boolean): Refusal {
  const where = cause instanceof ChangedMeanwhile ? { path: cause.path } : {};
  const why = reasonOf(cause);
  const taken = isBack ? 'everything was taken back' : 'not everything could be taken back yet: look at the files before going on';
  return refuse('restore_failed', `The checkpoint could not be restored (${why}); ${taken}.`, {
    ...where,
    reason_code: why,
    rolled_back: isBack,
    state_changed: isBack ? false : null,
  });
}

function reasonOf(cause: unknown): string {
  if (typeof cause === 'object' && cause !== null && isRefusal(cause)) {
    const { detail, error_kind: kind } = cause.refused;
    return typeof detail['reason_code'] === 'string' ? detail['reason_code'] : kind;
  }
  return ((cause as NodeJS.ErrnoException).code ?? 'unknown').toLowerCase();
}

function headMismatch({ checkpoint_id: id, head }: Checkpoint, current: string | null): Refusal {
  return refuse('head_mismatch', 'The checkpoint was made on another commit than HEAD is now; check that one out first.', {
    checkpoint_id: id,
    expected_head: head,
    current_head: current,
    state_changed: false,
  });
}

function unsafe(message: string, detail: Refusal['refused']['detail']): Refusal {
  return refuse('unsafe_current_state', message, { ...detail, state_changed: false });
}

/** What cannot be kept must not be replaced. */
function asUnsafe({ refused }: Refusal): Refusal {
  const passes = ['cancelled', 'timeout', 'git_unavailable', 'git_failed', 'unsafe_current_state'];
  if (passes.includes(refused.error_kind)) return { refused: { ...refused, detail: { ...refused.detail, state_changed: false } } };
  return unsafe(`What is there now could not be kept, and is not replaced: ${refused.message}`, {
    ...refused.detail,
    reason_code: refused.error_kind,
  });
}
