import { z } from 'zod';
import { TOOL_CATEGORIES, type ToolDefinition } from '../../../protocol/tool-definition.js';
import { success } from '../../../protocol/tool-result.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, type Tool } from '../../kernel/tool.js';
import { byRankThenName } from '../intents.js';
import { isListed, listEntry } from '../manifest-entry.js';

const input = z.strictObject({
  category: z.enum(TOOL_CATEGORIES).optional().meta({ description: 'Only tools of this category' }),
  features: z
    .array(z.enum(['direct', 'observe', 'mutate', 'execute', 'session', 'project']))
    .max(6)
    .optional()
    .meta({ description: 'Only tools that have all of these features' }),
  summary_only: z.boolean().default(false).meta({ description: 'Names and counts alone' }),
  limit: clamped(1, 256, 256),
});

/** `list_tools`: what there is to call (spec 04 §7.1). */
export function listTools(definitions: () => readonly ToolDefinition[]): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'list_tools',
      title: 'List tools',
      summary: 'The tools that can be called, by category, with one line each.',
      category: 'runtime',
      scopes: { kind: 'all', scopes: ['runtime:read'] },
      session: 'none',
      project: 'none',
      session_evidence: 'none',
      window_meaningful: false,
      recorded_inputs: ['category', 'features', 'summary_only', 'limit'],
      input,
      output: z.looseObject({
        tools: z.array(z.looseObject({ name: z.string() })).optional(),
        names: z.array(z.string()),
        total_count: z.int(),
        filtered_count: z.int(),
        returned_count: z.int(),
        truncated: z.boolean(),
        truncation_reason: z.string().nullable(),
        categories: z.record(z.string(), z.int()),
      }),
    },
    (args) => {
      const listed = definitions().filter(isListed).sort(byRankThenName);
      const filtered = listed.filter(
        (definition) =>
          (args.category === undefined || definition.category === args.category) &&
          (args.features ?? []).every((feature) => has(definition, feature)),
      );
      const returned = filtered.slice(0, args.limit);
      const truncated = returned.length < filtered.length;
      return {
        result: success({
          ...(args.summary_only ? {} : { tools: returned.map(listEntry) }),
          names: returned.map((definition) => definition.name),
          total_count: listed.length,
          filtered_count: filtered.length,
          returned_count: returned.length,
          truncated,
          truncation_reason: truncated ? 'limit' : null,
          categories: countByCategory(filtered),
        }),
      };
    },
  );
}

function has(definition: ToolDefinition, feature: string): boolean {
  switch (feature) {
    case 'direct':
      return definition.direct_rank !== undefined;
    case 'session':
      return definition.session !== 'none';
    case 'project':
      return definition.project !== 'none';
    default:
      return definition.effect === feature;
  }
}

function countByCategory(definitions: readonly ToolDefinition[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { category } of definitions) counts[category] = (counts[category] ?? 0) + 1;
  return counts;
}
