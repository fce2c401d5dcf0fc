import type { Refusal } from '../../protocol/runner/project-root.js';
import { gitBytes, type GitCall } from '../git/run-git.js';
import { isRefusal } from '../request.js';

/**
 * How many commits only a worktree has: reachable from its HEAD, and neither from the commit
 * that it was made from nor from any tag, remote branch or other branch. A branch that is
 * checked out in it is its own: nobody has pushed or merged those commits.
 *
 * @param call runs in the source, since the worktree's folder may be gone
 */
export async function ownCommits(
  call: GitCall,
  worktree: { readonly head: string; readonly branch: string | null },
  baseCommit: string,
): Promise<number | Refusal> {
  const own = worktree.branch === null ? [] : [`--exclude=${worktree.branch}`];
  // A base that is not there any more excludes nothing.
  const args = ['rev-list', '--count', '--ignore-missing', worktree.head, '--not', baseCommit, ...own, '--branches', '--remotes', '--tags'];
  const counted = await gitBytes(call, args);
  return isRefusal(counted) ? counted : Number(Buffer.from(counted).toString('utf8'));
}
