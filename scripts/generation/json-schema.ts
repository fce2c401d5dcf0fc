import { z } from 'zod';
import type { JsonSchema, JsonSchemaObject } from '../../src/protocol/catalog.js';

/** Unions at the root of an input make a tool vanish in some MCP clients (spec 00, decision 23). */
const ROOT_UNIONS = ['oneOf', 'anyOf', 'allOf', '$ref'] as const;

/**
 * The JSON Schema (2020-12) of a tool's input, as the catalog holds it: what a caller may
 * send, so defaults are optional and transforms are not seen.
 *
 * @throws Error naming the tool when the root is no closed plain object
 */
export function inputSchemaOf(tool: string, input: z.ZodObject): JsonSchemaObject {
  const schema = schemaOf(input, { io: 'input', unrepresentable: 'throw' });
  const union = ROOT_UNIONS.find((keyword) => keyword in schema);
  if (union !== undefined) throw new Error(`${tool}: the input's root carries ${union}; say it in the description`);
  if (schema.type !== 'object' || schema.additionalProperties !== false) {
    throw new Error(`${tool}: the input must be a closed object (z.strictObject)`);
  }
  return { ...schema, type: 'object', properties: schema.properties ?? {}, additionalProperties: false };
}

/**
 * The JSON Schema (2020-12) of what a tool's output holds on success. Its root is open: the
 * kernel adds facts of its own, such as `session_recorded`, to the output of any tool.
 */
export function outputSchemaOf(output: z.ZodType): JsonSchema {
  const schema = schemaOf(output, { io: 'output', unrepresentable: 'any' });
  return schema.additionalProperties === false ? { ...schema, additionalProperties: {} } : schema;
}

function schemaOf(schema: z.ZodType, options: Pick<z.core.ToJSONSchemaParams, 'io' | 'unrepresentable'>): JsonSchema {
  const { $schema: _, ...root } = z.toJSONSchema(schema, {
    ...options,
    target: 'draft-2020-12',
    reused: 'inline',
    override: ({ jsonSchema }) => {
      dropSafeIntegerBounds(jsonSchema);
    },
  }) as JsonSchema;
  return root;
}

/** zod says of each integer that a double can hold it; that tells a reader nothing. */
function dropSafeIntegerBounds(schema: { minimum?: number | undefined; maximum?: number | undefined }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
