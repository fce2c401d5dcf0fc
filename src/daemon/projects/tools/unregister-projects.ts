import { z } from 'zod';
import { failure, success, type JsonObject } from '../../../protocol/tool-result.js';
import { defineTool, projectSelector, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/port.js';
import type { Registry } from '../registry.js';
import { checkUnregistration, unregister, type Unregistration } from '../unregistration.js';
import { REGISTERING_TOOL } from '../registering-tool.js';

const MAX_ITEMS = 16;

/** `unregister_projects` (spec 04 §7.2): several at once, each answering for itself; a rehearsal unless confirmed. */
export function unregisterProjects(registry: Registry, runner: RunnerPort): Tool {
  return defineTool(
    {
      ...REGISTERING_TOOL,
      name: 'unregister_projects',
      title: 'Unregister several projects',
      summary: 'Ends the registrations of up to 16 projects; says what it would do unless dry_run is false and confirm is true.',
      recorded_inputs: ['dry_run', 'confirm'],
      input: z.strictObject({
        items: z
          .array(z.strictObject({ project: projectSelector, expected_revision: z.int().min(1) }))
          .min(1)
          .max(MAX_ITEMS),
        dry_run: z.boolean().default(true),
        confirm: z.boolean().default(false).meta({ description: 'Must be true when dry_run is false' }),
      }),
      output: z.object({
        dry_run: z.boolean(),
        items: z.array(
          z.looseObject({ index: z.number().int(), success: z.boolean(), error_kind: z.string().optional() }),
        ),
        unregistered_count: z.number().int(),
        state_changed: z.boolean(),
      }),
    },
    async (input, call) => {
      if (!input.dry_run && !input.confirm) {
        return {
          result: failure('confirmation_required', 'set confirm to true to unregister these projects', {
            state_changed: false,
          }),
        };
      }
      const work = input.dry_run ? checkUnregistration : unregister;
      const items: JsonObject[] = [];
      let ended = 0;
      for (const [index, item] of input.items.entries()) {
        const request = { project: item.project, expectedRevision: item.expected_revision };
        const outcome = await work(registry, runner, request, call.principal, call.signal);
        if (!input.dry_run && !('failure' in outcome) && outcome.outcome === 'unregistered') ended += 1;
        items.push(itemView(index, outcome, input.dry_run));
      }
      return {
        result: success({
          dry_run: input.dry_run,
          items,
          unregistered_count: ended,
          state_changed: ended > 0,
        }),
        facts: {
          effect: { stateChanged: ended > 0 },
          contextResultSummary: { item_count: items.length, unregistered_count: ended },
        },
      };
    },
  );
}

function itemView(index: number, outcome: Unregistration, dryRun: boolean): JsonObject {
  if ('failure' in outcome) return { index, success: false, ...outcome.failure.output, error: outcome.failure.error };
  const { project } = outcome;
  return {
    index,
    success: true,
    project: project.projectId,
    outcome: dryRun && outcome.outcome === 'unregistered' ? 'would_unregister' : outcome.outcome,
    revision: project.revision,
  };
}
