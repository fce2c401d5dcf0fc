import type { IndexedTool } from './tool-index.js';
import { UsageError } from './usage-error.js';

/** What a person or a script chose for a call besides its arguments. */
export interface Selectors {
  readonly session?: string | undefined;
  readonly project?: string | undefined;
  /** The recording Session. */
  readonly record?: string | undefined;
  /** The name of the window that calls come from; no Session is ever chosen by it. */
  readonly window?: string | undefined;
}

/** The variables that stand for the selectors; an empty one is as good as unset. */
export const SELECTOR_VARIABLES = { session: 'WC_SESSION', project: 'WC_PROJECT', record: 'WC_RECORD', window: 'WC_WINDOW' } as const;

/**
 * The name of a window as the daemon takes it (spec 02 §D1). The daemon takes any other name for
 * no window at all, which nobody who gave one could tell from its answer.
 *
 * @throws UsageError for a name that is none
 */
export function windowName(given: string): string {
  const name = given.trim();
  if (/^[\x21-\x7e]{1,256}$/.test(name)) return name;
  throw new UsageError('The name of a window (--window or WC_WINDOW) has 1 to 256 visible ASCII characters and no blank.');
}

/** What the variables say; an empty one says nothing. */
export function variablesOf(env: Readonly<Record<string, string | undefined>>): Selectors {
  return {
    session: env[SELECTOR_VARIABLES.session] || undefined,
    project: env[SELECTOR_VARIABLES.project] || undefined,
    record: env[SELECTOR_VARIABLES.record] || undefined,
    window: env[SELECTOR_VARIABLES.window] || undefined,
  };
}

/**
 * Arguments with the selectors that the tool takes: a flag wins over the arguments' own
 * word, and that over a variable, since it is the closer choice.
 */
export function fillSelectors(
  tool: Pick<IndexedTool, 'session' | 'project'>,
  args: Readonly<Record<string, unknown>>,
  flags: Selectors,
  variables: Selectors,
): Record<string, unknown> {
  const session = flags.session ?? args['session_id'] ?? (tool.session === 'fillable' ? variables.session : undefined);
  const project = flags.project ?? args['project'] ?? (tool.project === 'fillable' ? variables.project : undefined);
  return {
    ...args,
    ...(session === undefined ? {} : { session_id: session }),
    ...(project === undefined ? {} : { project }),
  };
}
