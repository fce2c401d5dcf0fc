import type { IndexedTool } from './tool-index.js';

/** What a person or a script chose for a call besides its arguments. */
export interface Selectors {
  readonly session?: string | undefined;
  readonly project?: string | undefined;
  /** The recording Session. */
  readonly record?: string | undefined;
}

/** The variables that stand for the selectors; an empty one is as good as unset. */
export const SELECTOR_VARIABLES = { session: 'WC_SESSION', project: 'WC_PROJECT', record: 'WC_RECORD' } as const;

/** The selectors of a command line, the variables where the line says nothing. */
export function selectorsOf(flags: Selectors, env: Readonly<Record<string, string | undefined>>): Selectors {
  return {
    session: flags.session ?? (env[SELECTOR_VARIABLES.session] || undefined),
    project: flags.project ?? (env[SELECTOR_VARIABLES.project] || undefined),
    record: flags.record ?? (env[SELECTOR_VARIABLES.record] || undefined),
  };
}

/**
 * Arguments with the selectors that the tool takes. What the arguments say themselves
 * wins over a variable: it is the closer choice.
 */
export function fillSelectors(
  tool: Pick<IndexedTool, 'session' | 'project'>,
  args: Readonly<Record<string, unknown>>,
  selectors: Selectors,
): Record<string, unknown> {
  return {
    ...(tool.session && selectors.session !== undefined ? { session_id: selectors.session } : {}),
    ...(tool.project && selectors.project !== undefined ? { project: selectors.project } : {}),
    ...args,
  };
}
