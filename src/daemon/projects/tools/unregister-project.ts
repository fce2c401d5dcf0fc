import { z } from 'zod';
import { success } from '../../../protocol/tool-result.js';
import { defineTool, projectSelector, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import type { Registry } from '../registry.js';
import { unregister } from '../unregistration.js';
import { REGISTERING_TOOL } from '../registering-tool.js';

/** `unregister_project` (spec 04 §7.2): ends a registration and deletes no file. */
export function unregisterProject(registry: Registry, runner: RunnerPort): Tool {
  return defineTool(
    {
      ...REGISTERING_TOOL,
      name: 'unregister_project',
      title: 'Unregister a project',
      summary: 'Ends the registration of a project; its folder, files and Sessions stay.',
      project: 'own',
      recorded_inputs: ['project', 'expected_revision'],
      cli: { positionals: ['project'] },
      input: z.strictObject({
        project: projectSelector,
        expected_revision: z.int().min(1).meta({ description: 'The revision that list_projects showed' }),
      }),
      output: z.object({
        project: z.string(),
        outcome: z.enum(['unregistered', 'already_unregistered']),
        revision: z.number().int(),
        state_changed: z.boolean(),
      }),
    },
    async (input, call) => {
      const ended = await unregister(
        registry,
        runner,
        { project: input.project, expectedRevision: input.expected_revision },
        call.principal,
        call.signal,
      );
      if ('failure' in ended) return { result: ended.failure };
      const changed = ended.outcome === 'unregistered';
      return {
        result: success({
          project: ended.project.projectId,
          outcome: ended.outcome,
          revision: ended.project.revision,
          state_changed: changed,
        }),
        facts: { effect: { stateChanged: changed }, contextResultSummary: { outcome: ended.outcome } },
      };
    },
  );
}
