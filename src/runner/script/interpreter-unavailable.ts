import type { Refusal } from '../../protocol/runner/project-root.js';
import { notStarted } from '../jobs/not-started.js';

/**
 * The refusal of a program whose interpreter is not there; nothing was started.
 *
 * @param found what was found instead, where something was
 */
export function interpreterUnavailable(wanted: string, path: string | undefined, found?: string): Refusal {
  const searched = path ?? '';
  const instead = found === undefined ? 'it is not on the PATH' : `the PATH leads to ${found}`;
  return notStarted('interpreter_unavailable', 'interpreter_unavailable', `This needs ${wanted}, and ${instead}; install it, or use another language.`, {
    searched_path: searched,
    hint: `The PATH that was searched: ${searched}`,
  });
}
