import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal } from '../request.js';
import { withConfig } from './git-environment.js';
import { gitBytes, type GitCall } from './run-git.js';

/** Hands out an index of our own that holds a tree, so that the user's stays as it is. */
export async function withTemporaryIndex<Answer>(
  call: GitCall,
  tree: string,
  work: (call: GitCall, folder: string) => Promise<Answer | Refusal>,
): Promise<Answer | Refusal> {
  const folder = await mkdtemp(join(tmpdir(), 'wc-index-'));
  try {
    // A split index would leave its shared half in the repository.
    const environment = withConfig(call.environment, [['core.splitIndex', 'false']]);
    const own: GitCall = { ...call, environment: { ...environment, GIT_INDEX_FILE: join(folder, 'index') } };
    const read = await gitBytes(own, ['read-tree', tree]);
    return isRefusal(read) ? read : await work(own, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
