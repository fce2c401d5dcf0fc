import type { ProjectRoot, Refusal } from '../../protocol/runner/project-root.js';
import type { BaseEnvironment } from '../git/git-environment.js';
import { openWorkTree, type WorkTree } from '../git/work-tree.js';
import { isRefusal, refuse } from '../request.js';

/** The work tree that a managed worktree is made from. */
export interface SourceTree extends WorkTree {
  /** Its top, where git runs: `prefix` leads from there to the project. */
  readonly topLevel: string;
}

/** Opens the source of a managed worktree; a folder without Git is `source_not_git_repository`. */
export async function openSource(root: ProjectRoot, base: BaseEnvironment, signal: AbortSignal): Promise<SourceTree | Refusal> {
  const tree = await openWorkTree(root, base, signal);
  if (tree === null) {
    return refuse('source_not_git_repository', 'A managed worktree needs a Git repository as its source; use mode checkout.', {
      state_changed: false,
    });
  }
  if (isRefusal(tree)) return tree;
  const topLevel = tree.prefix === '' ? tree.call.folder : tree.call.folder.slice(0, -tree.prefix.length);
  return { ...tree, topLevel };
}
