import type { Catalog, CatalogTool } from '../../src/protocol/catalog.js';
import { type ToolDefinition, toolAnnotations } from '../../src/protocol/tool-definition.js';
import { VERSION } from '../../src/protocol/version.js';
import { inputSchemaOf, outputSchemaOf } from './json-schema.js';

/** The JSON form of all definitions, in the order of their names. */
export function catalogOf(definitions: readonly ToolDefinition[]): Catalog {
  const tools = definitions.map(catalogTool).sort((one, other) => (one.name < other.name ? -1 : 1));
  return { version: VERSION, tools };
}

function catalogTool({ input, output, ...facts }: ToolDefinition): CatalogTool {
  return {
    ...facts,
    command: facts.name.replaceAll('_', '-'),
    annotations: toolAnnotations(facts),
    inputSchema: inputSchemaOf(facts.name, input),
    outputSchema: outputSchemaOf(output),
  };
}
