import { z } from 'zod';
import { TOOL_CATEGORIES, type ToolDefinition } from '../../../protocol/tool-definition.js';
import { failure, success, type Json, type ToolResult } from '../../../protocol/tool-result.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { clamped, defineTool, type Tool } from '../../kernel/tool.js';
import { byRankThenName, INTENTS, recommendedFlows } from '../intents.js';
import { contract, isListed, listEntry } from '../manifest-entry.js';

const input = z.strictObject({
  tool_name: z.string().min(1).max(128).optional().meta({ description: 'The whole contract of exactly this tool' }),
  query: z.string().max(200).optional().meta({ description: 'Words that the name, title or summary holds' }),
  category: z.enum(TOOL_CATEGORIES).optional(),
  intent: z.string().max(64).optional().meta({ description: `One of: ${Object.keys(INTENTS).join(', ')}` }),
  limit: clamped(1, 100, 20),
  include_recommended_flows: z.boolean().default(false),
  include_risk_summary: z.boolean().default(false),
});

/** `read_tool_manifest`: one contract by exact name, or the tools that serve a purpose (spec 04 §7.1). */
export function readToolManifest(definitions: () => readonly ToolDefinition[]): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'read_tool_manifest',
      title: 'Read tool manifest',
      summary: 'The whole contract of one tool, or which tools serve a purpose.',
      description:
        'With tool_name: the contract of that tool, specialists included. Without: tools found by query, category or intent.\n' +
        'The _wc envelope, where the surface has it, is a closed object: record (a Session that keeps the evidence of this call), ack (up to 8 message ids that you have read), ack_ref (that of an earlier answer), resolve {message_id, resolution}, reply {reply_to, message}, context (up to 8 materials), control {before, after_success} with one {kind: arguments} each.',
      category: 'runtime',
      scopes: { kind: 'all', scopes: ['runtime:read'] },
      session: 'none',
      project: 'none',
      direct_rank: 20,
      session_evidence: 'none',
      window_meaningful: false,
      recorded_inputs: ['tool_name', 'category', 'intent', 'limit'],
      cli: { positionals: ['tool_name'] },
      input,
      output: z.looseObject({}),
    },
    (args) => ({ result: answer(definitions(), args) }),
  );
}

function answer(definitions: readonly ToolDefinition[], args: z.output<typeof input>): ToolResult {
  if (args.tool_name !== undefined) return exact(definitions, args.tool_name);
  if (args.intent !== undefined && !Object.hasOwn(INTENTS, args.intent)) {
    return failure('unknown_tool_manifest_intent', `there is no such intent; choose one of ${Object.keys(INTENTS).join(', ')}`, {
      intents: Object.keys(INTENTS),
    });
  }
  const categories = args.intent === undefined ? null : new Set<string>(INTENTS[args.intent]);
  const words = (args.query ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const found = definitions
    .filter(isListed)
    .filter((definition) => categories === null || categories.has(definition.category))
    .filter((definition) => args.category === undefined || definition.category === args.category)
    .filter((definition) => words.every((word) => haystack(definition).includes(word)))
    .sort(byRankThenName);
  const returned = found.slice(0, args.limit);
  return success({
    tools: returned.map(listEntry),
    total_count: found.length,
    returned_count: returned.length,
    truncated: returned.length < found.length,
    ...(args.include_recommended_flows
      ? { recommended_flows: recommendedFlows(new Set(definitions.map(({ name }) => name))) }
      : {}),
    ...(args.include_risk_summary ? { risk_summary: riskSummary(found) } : {}),
  });
}

function exact(definitions: readonly ToolDefinition[], name: string): ToolResult {
  const definition = definitions.find((candidate) => candidate.name === name);
  if (definition === undefined) {
    return failure('unknown_tool', 'there is no tool of that name; list_tools shows what there is');
  }
  const direct = definition.direct_rank !== undefined || definition.specialist === true;
  return success({
    tool: contract(definition),
    route: {
      primary: direct ? definition.name : 'call_runtime_tool',
      fallback: definition.visibility === 'model_visible' ? 'call_runtime_tool' : null,
    },
  });
}

function haystack(definition: ToolDefinition): string {
  return `${definition.name} ${definition.title} ${definition.summary}`.toLowerCase();
}

function riskSummary(definitions: readonly ToolDefinition[]): Record<string, Json> {
  const byRisk: Record<string, number> = {};
  for (const { risk } of definitions) byRisk[risk] = (byRisk[risk] ?? 0) + 1;
  return {
    by_risk: byRisk,
    needs_permission: definitions.filter(({ approval }) => approval === 'standard').length,
    destructive: definitions.filter(({ destructive }) => destructive).map(({ name }) => name),
  };
}
