import { z } from 'zod';
import type { DiffScope } from '../../../protocol/runner/git-diff.js';
import { failure, type Failure } from '../../../protocol/tool-result.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import { commitInput, MAX_PAGE_BYTES, pageBytes, readPathsInput } from '../commit-input.js';
import { diffPageOutput } from '../diff-page-output.js';
import type { GitDeps } from '../index.js';
import { pagedDiff } from '../paged-diff.js';

const MAX_CONTINUATION_BYTES = 192;

const input = z.strictObject({
  project: projectSelector,
  session_id: sessionSelector.optional(),
  paths: readPathsInput,
  cached: z.boolean().optional().meta({ description: 'The index against HEAD, instead of the work tree against the index' }),
  base_commit: commitInput.optional(),
  head_commit: commitInput.optional(),
  max_hunks: clamped(1, 100, 30),
  max_hunk_lines: clamped(1, 400, 160),
  max_page_bytes: pageBytes(MAX_PAGE_BYTES),
  continuation: z.string().min(1).max(MAX_CONTINUATION_BYTES).optional(),
});
type Input = z.output<typeof input>;

/** `read_git_diff_hunks`: the hunks of one diff of git, page by page (spec 04 §7.7). */
export function readGitDiffHunks({ runner }: Pick<GitDeps, 'runner'>): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'read_git_diff_hunks',
      title: 'Read git diff hunks',
      summary: 'Reads the hunks of the unstaged diff, of the staged one, or of two commits, page by page.',
      description:
        'Without more it compares the work tree with the index, as git diff does. cached and the two commits exclude each other. ' +
        'A continuation is good for the snapshot that it was given on; review_changes shows untracked files too.',
      category: 'git',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'records',
      project: 'required',
      path_hint: 'path_list',
      git_like: true,
      session_evidence: 'business_pair',
      recorded_inputs: ['project', 'paths', 'cached', 'max_hunks', 'max_hunk_lines'],
      input,
      output: diffPageOutput,
    },
    (args, call) => {
      const scope = scopeOf(args);
      if ('success' in scope) return { result: scope };
      return pagedDiff(
        runner,
        {
          tool: 'read_git_diff_hunks',
          scope,
          paths: args.paths,
          maxHunks: args.max_hunks,
          maxHunkLines: args.max_hunk_lines,
          maxPageBytes: args.max_page_bytes,
          continuation: args.continuation,
          withFiles: false,
        },
        call,
      );
    },
  );
}

function scopeOf({ cached, base_commit: base, head_commit: head }: Input): DiffScope | Failure {
  if (base === undefined && head === undefined) return { kind: cached === true ? 'staged' : 'unstaged' };
  if (cached === true) {
    return failure('committed_range_conflicts_with_cached', 'Ask for the staged changes or for two commits, not for both.');
  }
  if (base === undefined || head === undefined) {
    return failure('invalid_arguments', 'base_commit and head_commit belong together; give both.');
  }
  return { kind: 'commits', base, head };
}
