import { z } from 'zod';
import { restoreCheckpointMethod } from '../../../protocol/runner/checkpoints.js';
import { success } from '../../../protocol/tool-result.js';
import { runnerRoot } from '../../files/index.js';
import { refusedByRegistration, writeFailed } from '../../git/index.js';
import { projectOf } from '../../kernel/call-context.js';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import { CHECKPOINT_TOOL, checkpointIdInput, confirmInput, unconfirmed } from '../checkpoint-tool.js';

/** `restore_workspace_checkpoint`: index and files as they were kept, whole or not at all (spec 04 §7.8). */
export function restoreWorkspaceCheckpoint(runner: RunnerPort): Tool {
  return defineTool(
    {
      ...CHECKPOINT_TOOL,
      name: 'restore_workspace_checkpoint',
      title: 'Restore a workspace checkpoint',
      summary: 'Brings index and tracked files back to a checkpoint that was made on the same HEAD.',
      description:
        'What is there now is first kept as a checkpoint of its own (previous_state_checkpoint_id). Untracked files are neither overwritten ' +
        'nor deleted: when one is in the way, the restore is refused. A failure takes everything back, and so does a crash.',
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
      output: z.strictObject({
        checkpoint_id: z.string(),
        previous_state_checkpoint_id: z.string().nullable(),
        changed_paths: z.array(z.string()),
        index_changed: z.boolean(),
        state_changed: z.boolean(),
      }),
    },
    async ({ checkpoint_id, confirm }, call) => {
      if (!confirm) return writeFailed(unconfirmed('Restoring replaces what is in the work tree now'));
      const project = projectOf(call);
      const refused = refusedByRegistration(project);
      if (refused !== null) return writeFailed(refused);
      const answered = await runner.call(restoreCheckpointMethod, { root: runnerRoot(project), checkpoint_id }, { signal: call.signal });
      if ('failure' in answered) return writeFailed(answered.failure);
      const { answer } = answered;
      const changed = answer.changed_paths.length > 0 || answer.index_changed;
      return {
        result: success({ ...answer, state_changed: changed }),
        facts: {
          changedPaths: answer.changed_paths,
          effect: { stateChanged: changed, executionState: 'completed' },
          contextResultSummary: { checkpoint_id, changed_files: answer.changed_paths.length },
        },
      };
    },
  );
}
