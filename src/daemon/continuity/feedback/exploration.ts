import type { SessionEvent } from '../../sessions/index.js';
import type { FinishedCall } from '../../validation/index.js';

/** Focused observation, and nothing that lists or diffs (spec 06 §7.3). */
const FOCUSED_TOOLS: ReadonlySet<string> = new Set([
  'read_files',
  'search_project_texts',
  'search_file_context',
  'find_definition',
  'find_references',
  'list_workspace_symbols',
  'list_document_symbols',
  'read_symbol_hover',
  'read_call_hierarchy',
]);

/** The files that an attempt looked at, newest first: a hint for the next one; nothing is read because of it. */
export interface Exploration {
  readonly paths: readonly string[];
  readonly total: number;
  readonly truncated: boolean;
  readonly complete: boolean;
}

/** The explored paths of some calls; `complete` is whether they are the whole attempt. */
export function exploration(calls: readonly FinishedCall[], complete: boolean, limit: number): Exploration {
  const newestFirst = calls
    .filter(({ event }) => isFocusedRead(event))
    .toReversed()
    .flatMap(({ event }) => event.observed_paths ?? []);
  const paths = [...new Set(newestFirst)];
  return { paths: paths.slice(0, limit), total: paths.length, truncated: paths.length > limit, complete };
}

/** Whether it is a successful look at named files, and nothing that only listed, diffed or failed. */
export function isFocusedRead({ status, tool_name: tool }: SessionEvent): boolean {
  return status === 'succeeded' && FOCUSED_TOOLS.has(tool);
}
