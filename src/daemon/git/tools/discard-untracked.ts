import type { Tool } from '../../kernel/tool.js';
import type { GitDeps } from '../index.js';
import { removingTool } from '../removing-tool.js';

/** `discard_untracked`: deletes files that git does not know (spec 04 §7.7). */
export function discardUntracked({ runner }: Pick<GitDeps, 'runner'>): Tool {
  return removingTool(runner, {
    action: 'discard_untracked',
    name: 'discard_untracked',
    title: 'Discard untracked files',
    summary: 'Deletes files that git neither tracks nor ignores; nothing keeps their content.',
    description: 'Each path stands for itself: tracked, ignored and protected files, and folders, are refused with their reason.',
    category: 'cleanup',
    done: 'deleted',
  });
}
