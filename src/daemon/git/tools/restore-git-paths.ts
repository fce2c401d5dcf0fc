import type { Tool } from '../../kernel/tool.js';
import type { GitDeps } from '../index.js';
import { removingTool } from '../removing-tool.js';

/** `restore_git_paths`: throws unstaged changes of tracked files away (spec 04 §7.7). */
export function restoreGitPaths({ runner }: Pick<GitDeps, 'runner'>): Tool {
  return removingTool(runner, {
    action: 'restore_tracked',
    name: 'restore_git_paths',
    title: 'Restore git paths',
    summary: 'Gives tracked files back the content that the index holds; their unstaged changes are lost.',
    description:
      'Staged changes stay. Each path stands for itself: what is untracked, unmerged, protected or a folder is refused with its reason. ' +
      'create_workspace_checkpoint keeps a way back.',
    category: 'git',
    done: 'restored',
  });
}
