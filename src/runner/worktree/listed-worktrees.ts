import type { Refusal } from '../../protocol/runner/project-root.js';
import { gitBytes, type GitCall } from '../git/run-git.js';
import { isRefusal } from '../request.js';

/** A work tree as git lists it. */
export interface ListedWorktree {
  readonly path: string;
  /** Null for a bare repository. */
  readonly head: string | null;
  /** Null when HEAD is detached. */
  readonly branch: string | null;
  /** Why it is locked, possibly `''`; null when it is not. */
  readonly locked: string | null;
  /** Its folder is gone. */
  readonly prunable: boolean;
}

/** All work trees of the repository that `call` runs in. */
export async function listWorktrees(call: GitCall): Promise<readonly ListedWorktree[] | Refusal> {
  const listing = await gitBytes(call, ['worktree', 'list', '--porcelain', '-z']);
  return isRefusal(listing) ? listing : parseWorktrees(Buffer.from(listing).toString('utf8'));
}

/** Reads `git worktree list --porcelain -z`: attributes end with NUL, a work tree with one more. */
export function parseWorktrees(listing: string): ListedWorktree[] {
  return listing
    .split('\0\0')
    .filter((block) => block !== '')
    .map((block) => {
      const attributes = new Map(
        block.split('\0').map((line): [string, string] => {
          const space = line.indexOf(' ');
          return space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)];
        }),
      );
      return {
        path: attributes.get('worktree') ?? '',
        head: attributes.get('HEAD') ?? null,
        branch: attributes.get('branch') ?? null,
        locked: attributes.get('locked') ?? null,
        prunable: attributes.has('prunable'),
      };
    });
}
