import type { Refusal } from '../../protocol/runner/project-root.js';
import { refuse } from '../request.js';

/** The refusal for what only works in a repository. */
export function notARepository(): Refusal {
  return refuse('not_a_git_repository', "The project's folder is in no Git work tree.");
}
