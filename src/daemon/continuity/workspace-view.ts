import type { GitObservation } from '../../protocol/runner/git.js';
import type { JsonObject } from '../../protocol/tool-result.js';

/** The state of a work tree in one word; a folder without Git is `not_applicable`. */
export type WorkspaceStatus = 'clean' | 'dirty' | 'conflicted' | 'unavailable' | 'not_applicable';

/** The word for an observation; null, when nobody could look, is `unavailable`. */
export function workspaceStatus(git: GitObservation | null): WorkspaceStatus {
  if (git === null) return 'unavailable';
  if (!git.is_repository) return 'not_applicable';
  if (git.conflicted) return 'conflicted';
  return git.dirty ? 'dirty' : 'clean';
}

/** What outputs say of the repository: null where there is none, or nobody could look. */
export function gitView(git: GitObservation | null): JsonObject | null {
  if (git === null || !git.is_repository) return null;
  const { branch, head, dirty, conflicted, ahead, behind, operation } = git;
  return { branch, head, dirty, conflicted, ahead, behind, ...(operation === null ? {} : { operation }) };
}
