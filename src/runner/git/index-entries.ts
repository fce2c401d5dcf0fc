import type { Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal, refuse } from '../request.js';
import { gitFailed, runGit } from './run-git.js';
import type { WorkTree } from './work-tree.js';

/** Git's mode of a submodule; what it holds is never touched. */
export const SUBMODULE_MODE = '160000';

/** What the index holds of a path; null when it has no such path. */
export type IndexEntry = { readonly mode: string; readonly oid: string } | null;

/** A path from the top of the work tree with its entry. */
export interface PathEntry {
  readonly path: string;
  readonly entry: IndexEntry;
}

/**
 * Sets entries of the index, all or none: git takes the lock, writes the new index
 * beside the old one and renames it. Flags of other entries stay.
 */
export async function setIndexEntries({ call, emptyTree }: Pick<WorkTree, 'call' | 'emptyTree'>, entries: readonly PathEntry[]): Promise<Refusal | null> {
  if (entries.length === 0) return null;
  // A file that takes a folder's name must find the folder's entries gone, so removals come first.
  const ordered = [...entries.filter(({ entry }) => entry === null), ...entries.filter(({ entry }) => entry !== null)];
  const nothing = '0'.repeat(emptyTree.length);
  const input = ordered
    .map(({ path, entry }) => (entry === null ? `0 ${nothing}\t${path}\0` : `${entry.mode} ${entry.oid}\t${path}\0`))
    .join('');
  const output = await runGit(call, ['update-index', '-z', '--index-info'], { input });
  if (isRefusal(output)) return output;
  return output.exitCode === 0 ? null : gitWriteFailed(output);
}

/** The refusal for a git that could not write; a lock of somebody else's is named. */
export function gitWriteFailed(output: { readonly exitCode: number; readonly stderr: string }): Refusal {
  if (!/\.lock'?: File exists/.test(output.stderr)) return gitFailed(output);
  const message = 'Another git process is writing to this repository, or one died and left its lock; try again when it has ended.';
  return refuse('git_failed', message, { exit_code: output.exitCode, reason_code: 'repository_locked' });
}
