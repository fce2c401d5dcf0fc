import type { Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal, refuse } from '../request.js';
import { gitFailed, runGit, type GitCall } from './run-git.js';

/** Where HEAD stands. */
export interface Head {
  /** Null before the first commit. */
  readonly commit: string | null;
  /** The branch's short name; null when HEAD is detached. */
  readonly branch: string | null;
}

/** Looks where HEAD stands now. */
export async function headOf(call: GitCall): Promise<Head | Refusal> {
  const [commit, branch] = await Promise.all([
    runGit(call, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']),
    runGit(call, ['symbolic-ref', '--quiet', '--short', 'HEAD']),
  ]);
  if (isRefusal(commit)) return commit;
  if (isRefusal(branch)) return branch;
  if (commit.exitCode > 1) return gitFailed(commit);
  const line = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8').trimEnd();
  return {
    commit: commit.exitCode === 0 ? line(commit.stdout) : null,
    branch: branch.exitCode === 0 ? line(branch.stdout) : null,
  };
}

/** The refusal unless each object name is a commit that is here. */
export async function requireCommits(call: GitCall, names: readonly string[]): Promise<Refusal | null> {
  for (const name of names) {
    const found = await runGit(call, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
    if (isRefusal(found)) return found;
    if (found.exitCode !== 0) {
      return refuse('unknown_commit', `${name} is no commit of this repository, or it was not fetched.`, { commit: name });
    }
  }
  return null;
}
