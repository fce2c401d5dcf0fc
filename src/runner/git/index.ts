import type { ProjectRoot, Refusal } from '../../protocol/runner/project-root.js';
import { observeGitMethod, workspaceChangesMethod } from '../../protocol/runner/git.js';
import { boundedSignal } from '../deadline.js';
import { isRefusal, serve, type RunnerService } from '../request.js';
import type { BaseEnvironment } from './git-environment.js';
import { NO_REPOSITORY, observe } from './observe.js';
import { openWorkTree, type WorkTree } from './work-tree.js';
import { changesWithoutRepository, workspaceChanges } from './workspace-changes.js';

/** How long a read of a repository may take, in milliseconds. */
const GIT_READ_MS = 30_000;

export interface GitServicesOptions {
  /** What git is started with: PATH, HOME and the like; asked for every request. */
  readonly environment: () => BaseEnvironment | Promise<BaseEnvironment>;
}

/** Reading a project's repository (spec 04 §7.7; spec 00, decision 33). */
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
  ];
}
