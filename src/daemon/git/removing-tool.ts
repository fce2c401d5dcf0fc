import { z } from 'zod';
import { removePathsMethod, type PathRemoval, type RemovedPaths } from '../../protocol/runner/git-writes.js';
import type { ToolCategory } from '../../protocol/tool-definition.js';
import { success, type JsonObject } from '../../protocol/tool-result.js';
import { runnerRoot } from '../files/index.js';
import { projectOf } from '../kernel/call-context.js';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../kernel/tool.js';
import type { RunnerPort } from '../runner-link/port.js';
import { writePathsInput } from './commit-input.js';
import { refusedByRegistration, writeFailed, WRITING_TOOL } from './writing-tool.js';

/** What sets one tool that throws content away apart from the others. */
export interface Removal {
  readonly action: PathRemoval;
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  readonly category: ToolCategory;
  /** What the list of paths that it was done with is called. */
  readonly done: 'restored' | 'deleted';
}

/** A tool that throws the content of files away, path by path (spec 04 §7.7). */
export function removingTool(runner: RunnerPort, removal: Removal): Tool {
  const { action, done, ...facts } = removal;
  return defineTool(
    {
      ...WRITING_TOOL,
      ...facts,
      scopes: { kind: 'all', scopes: ['project:write'] },
      destructive: true,
      recorded_inputs: ['project', 'paths'],
      input: z.strictObject({ project: projectSelector, session_id: sessionSelector.optional(), paths: writePathsInput }),
      output: z.looseObject({
        [done]: z.array(z.string()),
        missing: z.array(z.string()),
        refused: z.array(z.strictObject({ path: z.string(), reason_code: z.string() })),
        state_changed: z.boolean(),
      }),
    },
    async ({ paths }, call) => {
      const project = projectOf(call);
      const refused = refusedByRegistration(project);
      if (refused !== null) return writeFailed(refused);
      const answered = await runner.call(removePathsMethod, { root: runnerRoot(project), action, paths }, { signal: call.signal });
      if ('failure' in answered) return writeFailed(answered.failure);
      const { answer } = answered;
      const changed = answer.done.length > 0;
      return {
        result: success(outputOf(answer, removal)),
        facts: {
          changedPaths: answer.done,
          effect: { stateChanged: changed, executionState: 'completed' },
          contextResultSummary: { [done]: answer.done.length, refused: answer.refused.length, missing: answer.missing.length },
        },
      };
    },
  );
}

function outputOf({ done, unchanged, missing, refused }: RemovedPaths, removal: Removal): JsonObject {
  return {
    [removal.done]: done,
    ...(removal.action === 'restore_tracked' ? { unchanged } : {}),
    missing,
    refused,
    state_changed: done.length > 0,
  };
}
