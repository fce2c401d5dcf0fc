import type { Catalog, CatalogTool, JsonSchema } from '../protocol/catalog.js';
import type { Tool } from '@modelcontextprotocol/server';
import type { Era } from './forward.js';

/** Prose that a model can do without: the manifest has it (spec 04 §6). */
const PROSE: ReadonlySet<string> = new Set(['description', 'title', 'default', 'examples', '$schema', 'id']);

/**
 * The `_wc` of every tool in the stateless era: one closed, shallow object. Its details
 * stand once in the server's instructions and in `read_tool_manifest` (decision 12).
 */
const ENVELOPE_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    record: { type: 'string' },
    ack: { type: 'array' },
    ack_ref: { type: 'string' },
    reply: { type: 'object' },
    resolve: { type: 'object' },
    context: { type: 'array' },
    control: { type: 'object' },
  },
};

const RECORDER_SCHEMA = { type: 'string' };

/** The direct list of an era, in rank order, ready to be sent; the same for every connection. */
export function toolDescriptors(catalog: Catalog, era: Era): Tool[] {
  return catalog.tools
    .filter((tool) => tool.direct_rank !== undefined && tool.visibility === 'model_visible')
    .sort((a, b) => (a.direct_rank ?? 0) - (b.direct_rank ?? 0) || (a.name < b.name ? -1 : 1))
    .map((tool) => descriptor(tool, era));
}

function descriptor(tool: CatalogTool, era: Era): Tool {
  const { properties, required } = tool.inputSchema;
  const recorder = era === 'stateless' ? { _wc: ENVELOPE_SCHEMA } : { recording_session_id: RECORDER_SCHEMA };
  return {
    name: tool.name,
    title: tool.title,
    description: tool.summary,
    inputSchema: {
      type: 'object',
      properties: { ...mapValues(properties, compact), ...recorder },
      ...(required === undefined ? {} : { required: [...required] }),
      additionalProperties: false,
    },
    annotations: { ...tool.annotations },
  };
}

/** A schema without its prose; names under `properties` are data and stay. */
function compact(schema: JsonSchema): JsonSchema {
  const kept: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (PROSE.has(keyword)) continue;
    if (keyword === 'properties') kept[keyword] = mapValues(value as Record<string, JsonSchema>, compact);
    else if (keyword === 'items' || keyword === 'additionalProperties' || keyword === 'propertyNames') {
      kept[keyword] = typeof value === 'object' && value !== null ? compact(value as JsonSchema) : value;
    } else if (keyword === 'oneOf' || keyword === 'anyOf' || keyword === 'allOf') {
      kept[keyword] = (value as JsonSchema[]).map(compact);
    } else if (!isSafeIntegerBound(keyword, value)) kept[keyword] = value;
  }
  return kept;
}

/** zod says of every integer that it is a safe one; that bound tells a model nothing. */
function isSafeIntegerBound(keyword: string, value: unknown): boolean {
  return (
    (keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER) ||
    (keyword === 'minimum' && value === Number.MIN_SAFE_INTEGER)
  );
}

function mapValues(
  properties: Readonly<Record<string, JsonSchema>>,
  map: (schema: JsonSchema) => JsonSchema,
): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, map(schema)]));
}
