import { z } from 'zod';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import { commitInput, pageBytes, readPathsInput } from '../commit-input.js';
import type { GitDeps } from '../index.js';
import { pagedDiff } from '../paged-diff.js';
import { diffPageOutput } from '../diff-page-output.js';

const MAX_CONTINUATION_BYTES = 384;

const input = z.strictObject({
  project: projectSelector,
  session_id: sessionSelector.optional(),
  scope: z
    .union([z.literal('workspace'), z.strictObject({ base_commit: commitInput, head_commit: commitInput })])
    .meta({ description: '"workspace" (work tree against HEAD, untracked files included) or two full commit names' }),
  paths: readPathsInput,
  max_hunks: clamped(1, 100, 40),
  max_hunk_lines: clamped(1, 400, 160),
  max_page_bytes: pageBytes(64 * 1024),
  continuation: z.string().min(1).max(MAX_CONTINUATION_BYTES).optional(),
});

/** `review_changes`: all changes, page by page, of one snapshot (spec 04 §7.7). */
export function reviewChanges({ runner }: Pick<GitDeps, 'runner'>): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'review_changes',
      title: 'Review changes',
      summary: 'Reads all changes of the work tree, or between two commits, page by page, pinned to one snapshot.',
      description:
        'The first page names the files. Give continuation back, with the same scope and paths, for the next page; when anything ' +
        'changed meanwhile it is refused as stale_continuation. Untracked text files are shown as added; protected ones are only named.',
      category: 'git',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'records',
      project: 'required',
      path_hint: 'path_list',
      direct_rank: 87,
      git_like: true,
      change_summary_like: true,
      session_evidence: 'business_pair',
      recorded_inputs: ['project', 'paths', 'max_hunks', 'max_hunk_lines'],
      input,
      output: diffPageOutput,
    },
    (args, call) =>
      pagedDiff(
        runner,
        {
          tool: 'review_changes',
          scope:
            args.scope === 'workspace'
              ? { kind: 'workspace' }
              : { kind: 'commits', base: args.scope.base_commit, head: args.scope.head_commit },
          paths: args.paths,
          maxHunks: args.max_hunks,
          maxHunkLines: args.max_hunk_lines,
          maxPageBytes: args.max_page_bytes,
          continuation: args.continuation,
          withFiles: true,
        },
        call,
      ),
  );
}
