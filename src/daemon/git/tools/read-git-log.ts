import { z } from 'zod';
import { gitLogMethod, logEntrySchema } from '../../../protocol/runner/git-history.js';
import { success } from '../../../protocol/tool-result.js';
import { runnerRoot } from '../../files/index.js';
import { projectOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import { commitInput } from '../commit-input.js';
import { fitInOrder } from '../fit-in-order.js';
import type { GitDeps } from '../index.js';

const MAX_LOG_BYTES = 190 * 1024;

/** `read_git_log`: commits from a pinned head, newest first (spec 04 §7.7). */
export function readGitLog({ runner }: Pick<GitDeps, 'runner'>): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'read_git_log',
      title: 'Read git log',
      summary: 'Reads commits, newest first, in pages that stay on one head.',
      description: 'The answer names head_commit; give it back with next_skip for the page that follows, whatever was committed meanwhile.',
      category: 'git',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'records',
      project: 'required',
      git_like: true,
      session_evidence: 'business_pair',
      recorded_inputs: ['project', 'head_commit', 'limit', 'skip'],
      input: z.strictObject({
        project: projectSelector,
        session_id: sessionSelector.optional(),
        head_commit: commitInput.optional().meta({ description: 'Where to begin; HEAD as it is now when left out' }),
        limit: clamped(1, 100, 20),
        skip: clamped(0, 10_000, 0),
      }),
      output: z.strictObject({
        head_commit: z.string().nullable(),
        commits: z.array(logEntrySchema),
        skip: z.int(),
        has_more: z.boolean(),
        next_skip: z.int().nullable(),
        is_shallow: z.boolean(),
      }),
    },
    async ({ head_commit: head, limit, skip }, call) => {
      const answered = await runner.call(gitLogMethod, { root: runnerRoot(projectOf(call)), head: head ?? null, limit, skip }, { signal: call.signal });
      if ('failure' in answered) return { result: answered.failure };
      const { answer } = answered;
      const { kept } = fitInOrder(answer.commits, MAX_LOG_BYTES);
      const more = answer.has_more || kept.length < answer.commits.length;
      return {
        result: success({
          head_commit: answer.head,
          commits: kept,
          skip,
          has_more: more,
          next_skip: more ? skip + kept.length : null,
          is_shallow: answer.is_shallow,
        }),
        facts: { contextResultSummary: { commits: kept.length, has_more: more } },
      };
    },
  );
}
