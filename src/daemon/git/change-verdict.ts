import type { WorkspaceChanges } from '../../protocol/runner/git.js';

/** The work tree in one word, worst first. */
export type ChangeVerdict = 'not_a_repository' | 'conflicted' | 'changed' | 'clean';

export function changeVerdict({ repository }: Pick<WorkspaceChanges, 'repository'>): ChangeVerdict {
  if (!repository.is_repository) return 'not_a_repository';
  if (repository.conflicted) return 'conflicted';
  return repository.dirty ? 'changed' : 'clean';
}
