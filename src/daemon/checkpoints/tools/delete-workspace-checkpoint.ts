import { z } from 'zod';
import { deleteCheckpointMethod } from '../../../protocol/runner/checkpoints.js';
import { success } from '../../../protocol/tool-result.js';
import { runnerRoot } from '../../files/index.js';
import { writeFailed } from '../../git/index.js';
import { projectOf } from '../../kernel/call-context.js';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import { CHECKPOINT_TOOL, checkpointIdInput, confirmInput, unconfirmed } from '../checkpoint-tool.js';

/** `delete_workspace_checkpoint`: nothing else keeps what it held (spec 04 §7.8). */
export function deleteWorkspaceCheckpoint(runner: RunnerPort): Tool {
  return defineTool(
    {
      ...CHECKPOINT_TOOL,
      name: 'delete_workspace_checkpoint',
      title: 'Delete a workspace checkpoint',
      summary: 'Deletes a checkpoint; the work tree stays as it is.',
      risk: 'checkpoint_manage',
      destructive: true,
      scopes: { kind: 'all', scopes: ['project:write'] },
      recorded_inputs: ['project', 'checkpoint_id', 'confirm'],
      cli: { positionals: ['checkpoint_id'] },
      input: z.strictObject({
        project: projectSelector,
        session_id: sessionSelector.optional(),
        checkpoint_id: checkpointIdInput,
        confirm: confirmInput,
      }),
      output: z.strictObject({ checkpoint_id: z.string(), deleted: z.literal(true) }),
    },
    async ({ checkpoint_id, confirm }, call) => {
      if (!confirm) return writeFailed(unconfirmed('Nothing else keeps what a checkpoint holds'));
      const answered = await runner.call(deleteCheckpointMethod, { root: runnerRoot(projectOf(call)), checkpoint_id }, { signal: call.signal });
      if ('failure' in answered) return writeFailed(answered.failure);
      return {
        result: success({ checkpoint_id: answered.answer.checkpoint_id, deleted: true }),
        facts: { effect: { stateChanged: false, executionState: 'completed' }, contextResultSummary: { checkpoint_id } },
      };
    },
  );
}
