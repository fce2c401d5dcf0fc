import { z } from 'zod';
import { reviewSummaryMethod } from '../../../protocol/runner/git-history.js';
import { success, type Json } from '../../../protocol/tool-result.js';
import { runnerRoot } from '../../files/index.js';
import { projectOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import { commitInput } from '../commit-input.js';
import { fitInOrder } from '../fit-in-order.js';
import type { GitDeps } from '../index.js';
import { REVIEW_SIGNALS, reviewSignals } from '../review-signals.js';

const MAX_FILES_BYTES = 64 * 1024;

/** `read_git_review_summary`: what a branch brings, from where it parted (spec 04 §7.7). */
export function readGitReviewSummary({ runner }: Pick<GitDeps, 'runner'>): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'read_git_review_summary',
      title: 'Read git review summary',
      summary: 'What a commit brings over another one: files, sums, and what a reviewer should look at first.',
      description:
        'Compares with the merge base of the two. Made from objects alone: no configuration, attribute, replaced object or driver has ' +
        'a say. review_changes shows the hunks.',
      category: 'git',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'records',
      project: 'required',
      git_like: true,
      change_summary_like: true,
      session_evidence: 'business_pair',
      recorded_inputs: ['project', 'base_commit', 'head_commit'],
      input: z.strictObject({
        project: projectSelector,
        session_id: sessionSelector.optional(),
        base_commit: commitInput,
        head_commit: commitInput,
      }),
      output: z.strictObject({
        base_commit: z.string(),
        head_commit: z.string(),
        merge_base: z.string(),
        commits: z.int(),
        files: z.array(z.looseObject({ path: z.string() })),
        total_files: z.int(),
        files_truncated: z.boolean(),
        insertions: z.int(),
        deletions: z.int(),
        signals: z.array(z.strictObject({ signal: z.enum(REVIEW_SIGNALS), files: z.int() })),
      }),
    },
    async ({ base_commit: base, head_commit: head }, call) => {
      const answered = await runner.call(reviewSummaryMethod, { root: runnerRoot(projectOf(call)), base, head }, { signal: call.signal });
      if ('failure' in answered) return { result: answered.failure };
      const { paths, files, ...summary } = answered.answer;
      const { kept } = fitInOrder(files, MAX_FILES_BYTES);
      return {
        result: success({
          base_commit: base,
          head_commit: head,
          ...summary,
          files: kept as Json,
          files_truncated: kept.length < summary.total_files,
          signals: reviewSignals(paths, summary.insertions + summary.deletions),
        }),
        facts: { contextResultSummary: { changed_files: summary.total_files, insertions: summary.insertions, deletions: summary.deletions } },
      };
    },
  );
}
