import { openWorkTree } from '../git/work-tree.js';
import type { BaseEnvironment } from '../git/git-environment.js';
import { isRefusal, refuse } from '../request.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { endJournal, journalBytes, markOf, openJournal } from './journal.js';
import type { CheckpointStore } from './store.js';
import { takeBack } from './take-back.js';

const RECOVERY_MS = 60_000;

export interface RecoveryContext {
  readonly environment: BaseEnvironment;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Takes back the restore that a crash cut off, if there is one. Until that is done, no
 * other checkpoint of the project is made or restored.
 */
export async function recoverRestore(store: CheckpointStore, { environment, now }: RecoveryContext): Promise<Refusal | null> {
  await store.tidy();
  const journal = await openJournal(store);
  if (journal === null) return null;
  const tree = await openWorkTree(journal.root, environment, AbortSignal.timeout(RECOVERY_MS));
  if (tree === null) return pending('the repository is gone');
  if (isRefusal(tree)) return pending(tree.refused.message);
  const back = await takeBack(tree, journal.plan, { mark: markOf(journal), bytes: journalBytes(store) });
  if (isRefusal(back)) return pending(back.refused.message);
  await store.noteRecovery({
    checkpoint_id: journal.checkpoint_id,
    recovered_at: Math.floor(now() / 1000),
    left_paths: [...back.leftPaths],
  });
  await endJournal(store);
  return null;
}

/** Does so in the checkpoints of every project, as a Runner does when it starts. */
export async function recoverAll(
  stores: readonly CheckpointStore[],
  context: RecoveryContext,
  onFault: (error: unknown) => void,
): Promise<void> {
  for (const store of stores) {
    try {
      const refusal = await recoverRestore(store, context);
      if (refusal !== null) onFault(new Error(refusal.refused.message));
    } catch (error) {
      onFault(error);
    }
  }
}

function pending(why: string): Refusal {
  return refuse('unsafe_current_state', `A restore that was cut off could not be taken back yet: ${why}`, {
    reason_code: 'interrupted_restore',
    state_changed: false,
  });
}
