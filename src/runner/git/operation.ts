import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { GIT_OPERATIONS } from '../../protocol/runner/git.js';

type GitOperation = (typeof GIT_OPERATIONS)[number];

/** What git leaves in its folder while it is in the middle of something, in the order that git reports it. */
const TRACES: readonly (readonly [file: string, operation: GitOperation])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry_pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

/** What the repository is in the middle of, or null. */
export async function gitOperation(gitFolder: string): Promise<GitOperation | null> {
  const found = await Promise.all(
    TRACES.map(([file]) =>
      access(join(gitFolder, file)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return TRACES[found.indexOf(true)]?.[1] ?? null;
}
