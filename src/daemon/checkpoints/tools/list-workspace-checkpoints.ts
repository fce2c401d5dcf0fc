import { z } from 'zod';
import { listCheckpointsMethod, recoverySchema } from '../../../protocol/runner/checkpoints.js';
import { success } from '../../../protocol/tool-result.js';
import { runnerRoot } from '../../files/index.js';
import { projectOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import { checkpointOutput } from '../checkpoint-output.js';

/** `list_workspace_checkpoints`: the newest first, without what they hold (spec 04 §7.8). */
export function listWorkspaceCheckpoints(runner: RunnerPort): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'list_workspace_checkpoints',
      title: 'List workspace checkpoints',
      summary: 'Lists the checkpoints of a project, newest first.',
      description: 'last_recovery tells of a restore that a crash cut off and that was taken back afterwards.',
      category: 'checkpoint',
      scopes: { kind: 'all', scopes: ['project:read'] },
      session: 'records',
      project: 'required',
      session_evidence: 'business_pair',
      recorded_inputs: ['project', 'limit'],
      input: z.strictObject({ project: projectSelector, session_id: sessionSelector.optional(), limit: clamped(1, 100, 20) }),
      output: z.strictObject({
        checkpoints: z.array(checkpointOutput),
        total: z.int(),
        truncated: z.boolean(),
        last_recovery: recoverySchema.nullable(),
      }),
    },
    async ({ limit }, call) => {
      const answered = await runner.call(listCheckpointsMethod, { root: runnerRoot(projectOf(call)), limit }, { signal: call.signal });
      if ('failure' in answered) return { result: answered.failure };
      const { checkpoints, total, last_recovery } = answered.answer;
      return {
        result: success({ checkpoints, total, truncated: checkpoints.length < total, last_recovery }),
        facts: { contextResultSummary: { checkpoints: total } },
      };
    },
  );
}
