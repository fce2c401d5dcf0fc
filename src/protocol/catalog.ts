import type { ToolAnnotations, ToolFacts } from './tool-definition.js';

/**
 * The JSON form of all definitions, written by the build as `catalog.json`. The CLI
 * and the MCP shim read this at run time and load neither zod nor daemon code.
 */
export interface Catalog {
  readonly version: string;
  readonly tools: readonly CatalogTool[];
}

export interface CatalogTool extends ToolFacts {
  /** `run-process` for `run_process`. */
  readonly command: string;
  readonly annotations: ToolAnnotations;
  /** JSON Schema 2020-12, root `type: object`, `additionalProperties: false`, no root unions. */
  readonly inputSchema: JsonSchemaObject;
  readonly outputSchema: JsonSchema;
}

/** The part of JSON Schema that our definitions use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly const?: string | number | boolean | null;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly [keyword: string]: unknown;
}

export interface JsonSchemaObject extends JsonSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties: false;
}
