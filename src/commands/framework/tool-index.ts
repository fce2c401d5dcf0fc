import type { Catalog, CatalogTool } from '../../protocol/catalog.js';
import { isShellLike } from '../../protocol/tool-definition.js';

/** What the script path must know of a tool: its part of the catalog that fits in one short read. */
export interface IndexedTool {
  readonly name: string;
  /** It takes a `session_id`, so that `WC_SESSION` may fill it. */
  readonly session: boolean;
  /** It takes a `project`, so that `WC_PROJECT` may fill it. */
  readonly project: boolean;
  /** It only observes, so that a call may be repeated when its daemon vanished. */
  readonly observes: boolean;
  /** It runs a program for the caller, whose environment travels with the call. */
  readonly runs: boolean;
  /** It answers with that program's end, which the command ends with too. */
  readonly ends: boolean;
}

/** The index of all tools by their command's name; written beside the built CLI. */
export type ToolIndex = Readonly<Record<string, IndexedTool>>;

/** The index of a catalog. */
export function indexTools(catalog: Catalog): ToolIndex {
  return Object.fromEntries(catalog.tools.map((tool) => [tool.command, indexTool(tool)]));
}

/** One tool's entry. */
export function indexTool(tool: CatalogTool): IndexedTool {
  const runs = tool.effect === 'execute' && isShellLike(tool);
  return {
    name: tool.name,
    session: 'session_id' in tool.inputSchema.properties,
    project: 'project' in tool.inputSchema.properties,
    observes: tool.effect === 'observe',
    runs,
    ends: runs && hasProperty(tool.outputSchema, 'exit_code'),
  };
}

function hasProperty(schema: CatalogTool['outputSchema'], name: string): boolean {
  return [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].some((form) => form.properties && name in form.properties);
}
