import type { GitObservation } from '../../protocol/runner/git.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal } from '../request.js';
import { gitOperation } from './operation.js';
import { parseStatus, statusArguments, type Status } from './parse-status.js';
import { gitFailed, runGit } from './run-git.js';
import type { WorkTree } from './work-tree.js';

/** What is said of a project in no Git work tree. */
export const NO_REPOSITORY: GitObservation = {
  is_repository: false,
  branch: null,
  head: null,
  dirty: false,
  conflicted: false,
  ahead: null,
  behind: null,
  operation: null,
};

/** The repository's state and the changed files under the project's folder, in one look. */
export async function observe(
  tree: WorkTree,
  untracked: 'normal' | 'all',
): Promise<{ readonly repository: GitObservation; readonly files: Status['files'] } | Refusal> {
  const [output, operation] = await Promise.all([
    runGit(tree.call, statusArguments(untracked)),
    gitOperation(tree.gitFolder),
  ]);
  if (isRefusal(output)) return output;
  if (output.exitCode !== 0) return gitFailed(output);
  const { branch, files } = parseStatus(output.stdout, tree.prefix);
  const conflicted = files.some((file) => file.staged === 'unmerged');
  return { repository: { is_repository: true, ...branch, dirty: files.length > 0, conflicted, operation }, files };
}
