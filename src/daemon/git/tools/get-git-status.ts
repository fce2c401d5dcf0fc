import { z } from 'zod';
import { gitStatusMethod } from '../../../protocol/runner/git-history.js';
import { success } from '../../../protocol/tool-result.js';
import { runnerRoot } from '../../files/index.js';
import { projectOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import type { GitDeps } from '../index.js';

/** UTF-8 bytes of git's own words. */
const MAX_STATUS_BYTES = 64 * 1024;

/** `get_git_status`: what `git status --short --branch` says, as it says it (spec 04 §7.7). */
export function getGitStatus({ runner }: Pick<GitDeps, 'runner'>): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'get_git_status',
      title: 'Get git status',
      summary: 'What git status says in its short form, with its exit code.',
      description: 'For facts rather than text use read_workspace_changes.',
      category: 'git',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'records',
      project: 'required',
      git_like: true,
      change_summary_like: true,
      session_evidence: 'business_pair',
      recorded_inputs: ['project'],
      input: z.strictObject({ project: projectSelector, session_id: sessionSelector.optional() }),
      output: z.strictObject({
        exit_code: z.int(),
        stdout: z.string(),
        stdout_truncated: z.boolean(),
        stderr: z.string(),
      }),
    },
    async (_, call) => {
      const answered = await runner.call(gitStatusMethod, { root: runnerRoot(projectOf(call)), max_bytes: MAX_STATUS_BYTES }, { signal: call.signal });
      if ('failure' in answered) return { result: answered.failure };
      const { exit_code: exitCode } = answered.answer;
      return { result: success({ ...answered.answer }), facts: { contextResultSummary: { exit_code: exitCode } } };
    },
  );
}
