import type { Tool } from '../../kernel/tool.js';
import type { GitDeps } from '../index.js';
import { removingTool } from '../removing-tool.js';

/** `delete_project_files`: deletes files, tracked or not, with or without Git (spec 04 §7.7). */
export function deleteProjectFiles({ runner }: Pick<GitDeps, 'runner'>): Tool {
  return removingTool(runner, {
    action: 'delete_file',
    name: 'delete_project_files',
    title: 'Delete project files',
    summary: 'Deletes files of the project, never folders; nothing keeps the content of untracked ones.',
    description:
      'Each path stands for itself; protected files and folders are refused with their reason. A link is deleted and not followed. ' +
      'edit_project_files deletes with a guard against changes.',
    category: 'cleanup',
    done: 'deleted',
  });
}
