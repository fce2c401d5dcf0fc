import { z } from 'zod';
import { CHECKPOINT_KINDS, CHECKPOINT_VALIDATIONS, createCheckpointMethod, type CheckpointMetadata } from '../../../protocol/runner/checkpoints.js';
import { success } from '../../../protocol/tool-result.js';
import { runnerRoot } from '../../files/index.js';
import { writeFailed } from '../../git/index.js';
import { projectOf } from '../../kernel/call-context.js';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import { checkpointOutput } from '../checkpoint-output.js';
import { CHECKPOINT_TOOL } from '../checkpoint-tool.js';
import { invalidMetadata } from '../metadata.js';

const input = z.strictObject({
  project: projectSelector,
  session_id: sessionSelector.optional(),
  title: z.string().optional().meta({ description: 'At most 200 characters' }),
  note: z.string().optional().meta({ description: 'At most 2,000 characters' }),
  kind: z.enum(CHECKPOINT_KINDS).default('snapshot'),
  labels: z.array(z.string()).default([]).meta({ description: 'At most 20 of 64 characters' }),
  include_untracked: z.boolean().default(false).meta({ description: 'Untracked text files too, within bounds; the rest is listed as skipped' }),
  validation: z
    .strictObject({
      status: z.enum(CHECKPOINT_VALIDATIONS),
      commands: z.array(z.string()).default([]),
      summary: z.string().optional(),
    })
    .optional()
    .meta({ description: 'What you say of the checks; it is kept as your claim' }),
});
type Input = z.output<typeof input>;

/** `create_workspace_checkpoint`: keeps what differs from HEAD, outside of the work tree (spec 04 §7.8). */
export function createWorkspaceCheckpoint(runner: RunnerPort): Tool {
  return defineTool(
    {
      ...CHECKPOINT_TOOL,
      name: 'create_workspace_checkpoint',
      title: 'Create a workspace checkpoint',
      summary: 'Keeps the staged and unstaged changes of the work tree, so that they can be restored on the same HEAD.',
      description:
        'Writes nothing into the project or its repository. Each of the two diffs may take 1 MiB. A changed file with a protected name, or a ' +
        'conflict, is refused. Ignored files are never kept.',
      risk: 'checkpoint_manage',
      approval: 'none',
      scopes: { kind: 'all', scopes: ['project:read'] },
      recorded_inputs: ['project', 'kind', 'include_untracked'],
      input,
      output: z.strictObject({
        checkpoint: checkpointOutput,
        skipped_files: z.array(z.strictObject({ path: z.string(), reason_code: z.string() })),
        state_changed: z.literal(false),
      }),
    },
    async (args, call) => {
      const metadata = metadataOf(args);
      const invalid = invalidMetadata(metadata);
      if (invalid !== null) return writeFailed(invalid);
      const answered = await runner.call(
        createCheckpointMethod,
        { root: runnerRoot(projectOf(call)), metadata, include_untracked: args.include_untracked },
        { signal: call.signal },
      );
      if ('failure' in answered) return writeFailed(answered.failure);
      const { checkpoint, skipped_files: skipped } = answered.answer;
      return {
        result: success({ checkpoint, skipped_files: skipped, state_changed: false }),
        facts: {
          // The project is as it was; what is new lies outside of it.
          effect: { stateChanged: false, executionState: 'completed' },
          contextResultSummary: { checkpoint_id: checkpoint.checkpoint_id, kind: checkpoint.kind, tracked: checkpoint.counts.tracked },
        },
      };
    },
  );
}

function metadataOf({ title, note, kind, labels, validation }: Input): CheckpointMetadata {
  return {
    title: title ?? null,
    note: note ?? null,
    kind,
    labels,
    validation:
      validation === undefined
        ? null
        : { status: validation.status, commands: validation.commands, summary: validation.summary ?? null },
  };
}
