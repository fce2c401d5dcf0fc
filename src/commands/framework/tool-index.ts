import type { Catalog } from '../../protocol/catalog.js';
import { isShellLike } from '../../protocol/tool-definition.js';
import type { CommandTool } from './read-tool.js';

/** What the script path must know of a tool: its part of the catalog that fits in one short read. */
export interface IndexedTool {
  readonly name: string;
  /** It takes a `session_id`; `fillable` where `WC_SESSION` may stand in for it. */
  readonly session: SelectorUse;
  /** It takes a `project`; `fillable` where `WC_PROJECT` may stand in for it. */
  readonly project: SelectorUse;
  /** It only observes, so that a call may be repeated when its daemon vanished. */
  readonly observes: boolean;
  /** It runs a program for the caller, whose environment travels with the call. */
  readonly runs: boolean;
  /** It answers with that program's end, which the command ends with too. */
  readonly ends: boolean;
}

export type SelectorUse = 'none' | 'explicit' | 'fillable';

/** The index of all tools by their command's name; written beside the built CLI. */
export type ToolIndex = Readonly<Record<string, IndexedTool>>;

/** The index of a catalog. */
export function indexTools(catalog: Catalog): ToolIndex {
  return Object.fromEntries(catalog.tools.map((tool) => [tool.command, indexTool(tool)]));
}

/** One tool's entry. */
export function indexTool(tool: CommandTool): IndexedTool {
  const runs = tool.effect === 'execute' && isShellLike(tool);
  return {
    name: tool.name,
    // Where `session_id` is no more than a filter, a variable would hide what was not asked to be hidden.
    session: selectorUse(tool, 'session_id', tool.session !== 'none'),
    // A tool about projects is never pointed at one by a variable.
    project: selectorUse(tool, 'project', tool.project !== 'none' && tool.category !== 'project'),
    observes: tool.effect === 'observe',
    runs,
    // A tool that only admits a Job answers before the program has ended.
    ends: runs && 'sync_wait_secs' in tool.inputSchema.properties,
  };
}

function selectorUse(tool: CommandTool, input: string, fillable: boolean): SelectorUse {
  if (!(input in tool.inputSchema.properties)) return 'none';
  return fillable ? 'fillable' : 'explicit';
}
