import { z } from 'zod';
import { readCheckpointMethod } from '../../../protocol/runner/checkpoints.js';
import { success } from '../../../protocol/tool-result.js';
import { runnerRoot } from '../../files/index.js';
import { projectOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import { checkpointOutput } from '../checkpoint-output.js';
import { checkpointIdInput } from '../checkpoint-tool.js';

/** `read_workspace_checkpoint`: which paths it keeps, never their content (spec 04 §7.8). */
export function readWorkspaceCheckpoint(runner: RunnerPort): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'read_workspace_checkpoint',
      title: 'Read a workspace checkpoint',
      summary: 'Shows one checkpoint: its commit, its paths and, when asked for, the sums of its diffs.',
      category: 'checkpoint',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'records',
      project: 'required',
      session_evidence: 'business_pair',
      recorded_inputs: ['project', 'checkpoint_id', 'include_diff_stat'],
      cli: { positionals: ['checkpoint_id'] },
      input: z.strictObject({
        project: projectSelector,
        session_id: sessionSelector.optional(),
        checkpoint_id: checkpointIdInput,
        include_diff_stat: z.boolean().default(false),
      }),
      output: z.looseObject({
        checkpoint: checkpointOutput,
        paths: z.array(z.string()),
        untracked_paths: z.array(z.string()),
        skipped_files: z.array(z.looseObject({ path: z.string() })),
      }),
    },
    async ({ checkpoint_id, include_diff_stat: withStat }, call) => {
      const answered = await runner.call(readCheckpointMethod, { root: runnerRoot(projectOf(call)), checkpoint_id }, { signal: call.signal });
      if ('failure' in answered) return { result: answered.failure };
      const { checkpoint, diff_stat: stat, ...kept } = answered.answer;
      return {
        result: success({ checkpoint, ...kept, ...(withStat ? { diff_stat: stat } : {}) }),
        facts: { contextResultSummary: { tracked: checkpoint.counts.tracked, untracked: checkpoint.counts.untracked } },
      };
    },
  );
}
