import type { ProjectRoot, Refusal } from '../../protocol/runner/project-root.js';
import { diffPageMethod } from '../../protocol/runner/git-diff.js';
import { gitLogMethod, gitStatusMethod, reviewSummaryMethod } from '../../protocol/runner/git-history.js';
import { commitPathsMethod, removePathsMethod } from '../../protocol/runner/git-writes.js';
import { observeGitMethod, workspaceChangesMethod } from '../../protocol/runner/git.js';
import { hygieneMethod } from '../../protocol/runner/hygiene.js';
import { verifyRoot, type VerifiedRoot } from '../confinement/index.js';
import { boundedSignal, Ended, endedRefusal } from '../deadline.js';
import type { Turns } from '../turns.js';
import { isRefusal, serve, type RunnerService } from '../request.js';
import { commitPaths } from './commit-paths.js';
import { diffPage } from './diff-page.js';
import type { BaseEnvironment } from './git-environment.js';
import { checkHygiene, hygieneWithoutRepository } from './hygiene.js';
import { readLog } from './log.js';
import { notARepository } from './not-a-repository.js';
import { NO_REPOSITORY, observe } from './observe.js';
import { deleteFiles, discardUntracked, restoreTracked } from './remove-paths.js';
import { reviewSummary } from './review-summary.js';
import { STATUS_WITHOUT_REPOSITORY, statusText } from './status-text.js';
import { openWorkTree, type WorkTree } from './work-tree.js';
import { changesWithoutRepository, workspaceChanges } from './workspace-changes.js';

/** How long a read of a repository may take, in milliseconds. */
const GIT_READ_MS = 30_000;

export interface GitServicesOptions {
  /** What git is started with: PATH, HOME and the like; asked for every request. */
  readonly environment: () => BaseEnvironment | Promise<BaseEnvironment>;
  /** Writes to one project go one after the other, whoever makes them. */
  readonly turns: Turns;
}

/** Reading and committing a project's repository (spec 04 §7.7; spec 00, decision 33). */
export function createGitServices(options: GitServicesOptions): readonly RunnerService[] {
  const withTree = async <Answer>(
    root: ProjectRoot,
    signal: AbortSignal,
    read: (tree: WorkTree | null) => Promise<Answer | Refusal>,
  ): Promise<Answer | Refusal> => {
    const bounded = boundedSignal(signal, GIT_READ_MS);
    const tree = await openWorkTree(root, await options.environment(), bounded);
    return tree !== null && isRefusal(tree) ? tree : read(tree);
  };

  const inTree = <Answer>(
    root: ProjectRoot,
    signal: AbortSignal,
    read: (tree: WorkTree) => Promise<Answer | Refusal>,
  ): Promise<Answer | Refusal> =>
    withTree(root, signal, (tree) => (tree === null ? Promise.resolve(notARepository()) : read(tree)));

  const inTurn = async <Answer>(
    root: ProjectRoot,
    signal: AbortSignal,
    write: () => Promise<Answer | Refusal>,
  ): Promise<Answer | Refusal> => {
    try {
      return await options.turns.take(root.path, signal, write);
    } catch (error) {
      if (error instanceof Ended) return endedRefusal(signal, 'The wait for another change of this project');
      throw error;
    }
  };

  return [
    serve(observeGitMethod, ({ root }, { signal }) =>
      withTree(root, signal, async (tree) => {
        if (tree === null) return NO_REPOSITORY;
        const observed = await observe(tree, 'normal');
        return isRefusal(observed) ? observed : observed.repository;
      }),
    ),
    serve(workspaceChangesMethod, ({ root, ...request }, { signal }) =>
      withTree(root, signal, async (tree) =>
        tree === null ? changesWithoutRepository(request) : workspaceChanges(tree, request),
      ),
    ),
    serve(diffPageMethod, ({ root, ...request }, { signal }) => inTree(root, signal, (tree) => diffPage(tree, request))),
    serve(gitStatusMethod, ({ root, max_bytes: maxBytes }, { signal }) =>
      withTree(root, signal, async (tree) => (tree === null ? STATUS_WITHOUT_REPOSITORY : statusText(tree.call, maxBytes))),
    ),
    serve(gitLogMethod, ({ root, ...request }, { signal }) => inTree(root, signal, (tree) => readLog(tree, request))),
    serve(reviewSummaryMethod, ({ root, ...request }, { signal }) => inTree(root, signal, (tree) => reviewSummary(tree, request))),
    serve(hygieneMethod, ({ root, ...request }, { signal }) =>
      withTree(root, signal, async (tree) => (tree === null ? hygieneWithoutRepository() : checkHygiene(tree, request))),
    ),
    serve(commitPathsMethod, ({ root, ...request }, { signal }) =>
      inTurn(root, signal, () => inTree(root, signal, (tree) => commitPaths(tree, request))),
    ),
    serve(removePathsMethod, ({ root, action, paths }, { signal }) =>
      inTurn(root, signal, () =>
        action === 'delete_file'
          ? withRoot(root, (verified) => deleteFiles(verified, paths))
          : inTree(root, signal, (tree) => (action === 'discard_untracked' ? discardUntracked(tree, paths) : restoreTracked(tree, paths))),
      ),
    ),
  ];
}

async function withRoot<Answer>(root: ProjectRoot, work: (root: VerifiedRoot) => Promise<Answer>): Promise<Answer | Refusal> {
  const verified = await verifyRoot(root);
  return isRefusal(verified) ? verified : work(verified);
}
