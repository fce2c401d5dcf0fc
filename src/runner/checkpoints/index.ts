import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import {
  createCheckpointMethod,
  deleteCheckpointMethod,
  listCheckpointsMethod,
  MAX_CHECKPOINT_PATHS,
  readCheckpointMethod,
  restoreCheckpointMethod,
  type CheckpointMetadata,
} from '../../protocol/runner/checkpoints.js';
import type { ProjectRoot, Refusal } from '../../protocol/runner/project-root.js';
import { verifyRoot } from '../confinement/index.js';
import { boundedSignal, Ended, endedRefusal } from '../deadline.js';
import type { BaseEnvironment } from '../git/git-environment.js';
import { notARepository } from '../git/not-a-repository.js';
import { openWorkTree, type WorkTree } from '../git/work-tree.js';
import { isRefusal, refuse, serve, type RunnerService } from '../request.js';
import type { Turns } from '../turns.js';
import { capture, type Captured } from './capture.js';
import { viewOf, type Checkpoint } from './document.js';
import { recoverAll, recoverRestore } from './recover.js';
import { restore } from './restore.js';
import { CheckpointStore, MAX_CHECKPOINTS, unlessNotStored } from './store.js';

/** How long looking at a repository may take, in milliseconds. */
const LOOK_MS = 30_000;

export interface CheckpointServicesOptions {
  /** The private folder that all checkpoints lie in; made when the first one is. */
  readonly folder: string;
  readonly environment: () => BaseEnvironment | Promise<BaseEnvironment>;
  /** Writes to one project go one after the other, whoever makes them. */
  readonly turns: Turns;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly onFault: (error: unknown) => void;
}

/** Checkpoints of a project's work tree (spec 04 §7.8), kept outside of it. */
export function createCheckpointServices(options: CheckpointServicesOptions): readonly RunnerService[] {
  const { folder, turns, now } = options;
  const recovered = recoverLater(options);

  /** A turn on the project, with nothing of an earlier restore left over. */
  const inTurn = async <Answer>(
    root: ProjectRoot,
    signal: AbortSignal,
    work: (store: CheckpointStore, bounded: AbortSignal) => Promise<Answer | Refusal>,
  ): Promise<Answer | Refusal> => {
    await recovered;
    const verified = await verifyRoot(root);
    if (isRefusal(verified)) return verified;
    const store = CheckpointStore.of(folder, verified.path);
    const bounded = boundedSignal(signal, LOOK_MS);
    try {
      return await turns.take(root.path, bounded, async () => {
        const environment = await options.environment();
        return (await recoverRestore(store, { environment, now })) ?? (await work(store, bounded));
      });
    } catch (error) {
      if (error instanceof Ended) return endedRefusal(bounded, 'The wait for another change of this project');
      throw error;
    }
  };

  const withTree = async <Answer>(
    root: ProjectRoot,
    signal: AbortSignal,
    work: (tree: WorkTree) => Promise<Answer | Refusal>,
  ): Promise<Answer | Refusal> => {
    const tree = await openWorkTree(root, await options.environment(), signal);
    if (tree === null) return notARepository();
    return isRefusal(tree) ? tree : work(tree);
  };

  const keep = async (store: CheckpointStore, root: string, captured: Captured, metadata: CheckpointMetadata, automatic: boolean): Promise<Checkpoint | Refusal> => {
    if ((await store.ids()).length >= MAX_CHECKPOINTS) return limitReached();
    const checkpoint: Checkpoint = {
      version: 1,
      checkpoint_id: `wc_ckpt_${randomBytes(16).toString('hex')}`,
      created_at_ms: now(),
      automatic,
      metadata,
      root,
      head: captured.head.commit,
      branch: captured.head.branch,
      tracked: [...captured.tracked],
      untracked: captured.untracked,
      skipped: captured.skipped,
      diff_stat: captured.diffStat,
    };
    return (await unlessNotStored(() => store.save(checkpoint, captured.contents))) ?? checkpoint;
  };

  return [
    serve(createCheckpointMethod, ({ root, metadata, include_untracked: untracked }, { signal }) =>
      inTurn(root, signal, (store, bounded) =>
        withTree(root, bounded, async (tree) => {
          const captured = await capture(tree, { untracked });
          if (isRefusal(captured)) return captured;
          const checkpoint = await keep(store, tree.call.folder, captured, metadata, false);
          if (isRefusal(checkpoint)) return checkpoint;
          return { checkpoint: viewOf(checkpoint), skipped_files: checkpoint.skipped.slice(0, MAX_CHECKPOINT_PATHS) };
        }),
      ),
    ),
    serve(listCheckpointsMethod, async ({ root, limit }) => {
      await recovered;
      const store = await storeOf(folder, root);
      if (isRefusal(store)) return store;
      const all = await store.all();
      return { checkpoints: all.slice(0, limit).map(viewOf), total: all.length, last_recovery: await store.lastRecovery() };
    }),
    serve(readCheckpointMethod, async ({ root, checkpoint_id: id }) => {
      await recovered;
      const store = await storeOf(folder, root);
      if (isRefusal(store)) return store;
      const checkpoint = await store.get(id);
      return isRefusal(checkpoint) ? checkpoint : wholeView(checkpoint);
    }),
    serve(restoreCheckpointMethod, ({ root, checkpoint_id: id }, { signal }) =>
      inTurn(root, signal, (store, bounded) =>
        withTree(root, bounded, async (tree) => {
          const checkpoint = await store.get(id);
          if (isRefusal(checkpoint)) return checkpoint;
          const keepCurrent = async (current: Captured): Promise<string | null | Refusal> => {
            if (current.tracked.length === 0) return null;
            const kept = await keep(store, tree.call.folder, current, replacedBy(checkpoint), true);
            return isRefusal(kept) ? kept : kept.checkpoint_id;
          };
          return restore(checkpoint, { root, tree, store, keepCurrent });
        }),
      ),
    ),
    serve(deleteCheckpointMethod, ({ root, checkpoint_id: id }, { signal }) =>
      inTurn(root, signal, async (store) => {
        const checkpoint = await store.get(id);
        // A damaged one is there all the same, and can only be deleted.
        if (isRefusal(checkpoint) && checkpoint.refused.error_kind !== 'invalid_checkpoint') return checkpoint;
        await store.remove(id);
        return { checkpoint_id: id };
      }),
    ),
  ];
}

/** Takes back, as soon as the environment is known, what a crash cut off. */
async function recoverLater({ folder, environment, now, onFault }: CheckpointServicesOptions): Promise<void> {
  const stores = await CheckpointStore.allIn(folder);
  if (stores.length > 0) await recoverAll(stores, { environment: await environment(), now }, onFault);
}

async function storeOf(folder: string, root: ProjectRoot): Promise<CheckpointStore | Refusal> {
  const verified = await verifyRoot(root);
  return isRefusal(verified) ? verified : CheckpointStore.of(folder, verified.path);
}

function wholeView(checkpoint: Checkpoint): z.input<typeof readCheckpointMethod.result> {
  return {
    checkpoint: viewOf(checkpoint),
    paths: checkpoint.tracked.slice(0, MAX_CHECKPOINT_PATHS).map(({ path }) => path),
    untracked_paths: checkpoint.untracked.map(({ path }) => path),
    skipped_files: checkpoint.skipped.slice(0, MAX_CHECKPOINT_PATHS),
    diff_stat: checkpoint.diff_stat,
  };
}

function replacedBy({ checkpoint_id: id }: Checkpoint): CheckpointMetadata {
  return { title: `Before ${id} was restored`, note: null, kind: 'rollback_candidate', labels: [], validation: null };
}

function limitReached(): Refusal {
  return refuse('checkpoint_limit_reached', `This project has ${MAX_CHECKPOINTS} checkpoints; delete some that are no longer needed.`, {
    max_checkpoints: MAX_CHECKPOINTS,
    state_changed: false,
  });
}
