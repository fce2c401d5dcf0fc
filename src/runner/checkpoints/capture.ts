import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SideStat } from '../../protocol/runner/checkpoints.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { pathProtection } from '../confinement/index.js';
import { diffNumstat, PLAIN_DIFF, sumNumstat } from '../git/diff.js';
import { headOf, type Head } from '../git/head-of.js';
import { SUBMODULE_MODE } from '../git/index-entries.js';
import { pathText } from '../git/nul-records.js';
import { gitBytes } from '../git/run-git.js';
import { withoutSpecialFiles } from '../git/special-files.js';
import type { WorkTree } from '../git/work-tree.js';
import { isRefusal, refuse } from '../request.js';
import { readBlobs } from './blobs.js';
import { ContentCollector, type Contents } from './contents.js';
import type { Checkpoint, TrackedState } from './document.js';
import { trackedChanges, type TrackedChange } from './tracked-changes.js';
import { captureUntracked } from './untracked.js';
import { findState } from './work-state.js';

/** The bound of each of the two diffs, in bytes (spec 04 §7.8). */
const MAX_DIFF_BYTES = 1024 * 1024;
/** The bound of all kept bytes together: a small diff may lie in a large file. */
const MAX_CONTENT_BYTES = 64 * 1024 * 1024;
/** How often a work tree that changes meanwhile is looked at anew. */
const ATTEMPTS = 3;

/** What differs from HEAD at one moment, with the bytes of it. */
export interface Captured {
  readonly head: Head;
  readonly tracked: readonly TrackedState[];
  readonly untracked: Checkpoint['untracked'];
  readonly skipped: Checkpoint['skipped'];
  readonly diffStat: Checkpoint['diff_stat'];
  readonly contents: Contents;
}

/**
 * Reads what differs from HEAD under the project's folder, and writes nothing. When the
 * tree changed while it was read, it is read anew.
 */
export async function capture(tree: WorkTree, options: { readonly untracked: boolean }): Promise<Captured | Refusal> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const head = await headOf(tree.call);
    if (isRefusal(head)) return head;
    const before = await trackedChanges(tree);
    if (isRefusal(before)) return before;
    const captured = await captureChanges(tree, head, before.changes, options);
    if (captured === 'changing') continue;
    if (isRefusal(captured)) return captured;
    const [after, headAfter] = [await trackedChanges(tree), await headOf(tree.call)];
    if (isRefusal(after)) return after;
    if (isRefusal(headAfter)) return headAfter;
    if (headAfter.commit === head.commit && Buffer.from(before.raw).equals(after.raw)) return captured;
  }
  return refuse('unsafe_current_state', 'The work tree keeps changing while it is read; try again when it is quiet.', { reason_code: 'changing' });
}

async function captureChanges(
  tree: WorkTree,
  head: Head,
  changes: readonly TrackedChange[],
  options: { readonly untracked: boolean },
): Promise<Captured | Refusal | 'changing'> {
  const refused = refusedChange(changes);
  if (refused !== null) return refused;
  if ((await bytesOf(tree.call.folder, changes)) > MAX_CONTENT_BYTES) return tooLarge('the content of the changed files');
  const diffStat = await boundedDiffs(tree, head.commit ?? tree.emptyTree);
  if (isRefusal(diffStat)) return diffStat;
  const collector = new ContentCollector(MAX_CONTENT_BYTES);
  const blobs = await readBlobs(tree.call, changes.flatMap(stagedBlob), MAX_CONTENT_BYTES);
  if (isRefusal(blobs)) return tooLargeInstead(blobs);
  const tracked: TrackedState[] = [];
  const skipped: { path: string; reason_code: string }[] = [];
  for (const change of changes) {
    const state = await trackedState(tree, change, blobs, collector);
    if (state === 'changing') return state;
    if ('reason_code' in state) {
      if (state.reason_code === 'too_large') return tooLarge('the content of the changed files');
      skipped.push(state);
    } else tracked.push(state);
  }
  const untracked = options.untracked ? await captureUntracked(tree, collector) : { files: [], skipped: [] };
  if (isRefusal(untracked)) return untracked;
  return {
    head,
    tracked,
    untracked: untracked.files,
    skipped: [...skipped, ...untracked.skipped],
    diffStat,
    contents: collector.contents,
  };
}

/** How much lies at the changed paths: a diff of what is far too large anyway would cost many seconds. */
async function bytesOf(folder: string, changes: readonly TrackedChange[]): Promise<number> {
  const base = Buffer.from(join(folder, '/'));
  let bytes = 0;
  for (const { path } of changes) {
    const status = await lstat(Buffer.concat([base, path])).catch(() => null);
    if (status?.isFile() === true) bytes += status.size;
  }
  return bytes;
}

/** What no checkpoint is made of: conflicts, and names that are protected or cannot be written down. */
function refusedChange(changes: readonly TrackedChange[]): Refusal | null {
  for (const change of changes) {
    const { path, path_is_lossy: isLossy } = pathText(change.path);
    if (change.isUnmerged) {
      return refuse('unsafe_current_state', `${JSON.stringify(path)} is in conflict; resolve it first.`, { path, reason_code: 'unmerged' });
    }
    if (isLossy === true || pathProtection(path) === 'secret') {
      return refuse('sensitive_or_invalid_path', `${JSON.stringify(path)} has changed and is not kept: its name is protected or no UTF-8.`, {
        path,
        reason_code: isLossy === true ? 'not_utf8' : 'secret_path',
      });
    }
  }
  return null;
}

function stagedBlob({ head, index }: TrackedChange): string[] {
  const isStaged = index !== null && (index.oid !== head?.oid || index.mode !== head.mode);
  return isStaged && index.mode !== SUBMODULE_MODE ? [index.oid] : [];
}

async function trackedState(
  tree: WorkTree,
  change: TrackedChange,
  blobs: ReadonlyMap<string, Buffer>,
  collector: ContentCollector,
): Promise<TrackedState | { path: string; reason_code: string } | 'changing'> {
  const path = change.path.toString('utf8');
  const { head, index } = change;
  const blob = index === null ? undefined : blobs.get(index.oid);
  const kept = blob === undefined ? null : collector.add(blob);
  if (blob !== undefined && kept === null) return { path, reason_code: 'too_large' };
  const entry = index === null ? null : { ...index, sha256: kept };
  if (index?.mode === SUBMODULE_MODE) return { path, head, index: entry, work: { state: 'submodule' } };
  const found = await findState(tree.call.folder, path, MAX_CONTENT_BYTES);
  if (found === 'changing') return found;
  if (found === 'too_large') return { path, reason_code: found };
  // A folder or a FIFO in a file's place: the file is gone.
  if (found === 'odd') return { path, head, index: entry, work: { state: 'missing' } };
  if (found.content !== null && collector.add(found.content) === null) return { path, reason_code: 'too_large' };
  return { path, head, index: entry, work: found.state };
}

/** Both diffs within their bounds, as sums. */
async function boundedDiffs(tree: WorkTree, base: string): Promise<Checkpoint['diff_stat'] | Refusal> {
  const staged = await boundedDiff(tree, ['--cached', base], 'the staged changes');
  if (isRefusal(staged)) return staged;
  const unstaged = await boundedDiff(tree, [], 'the unstaged changes');
  return isRefusal(unstaged) ? unstaged : { staged, unstaged };
}

async function boundedDiff(tree: WorkTree, sides: readonly string[], what: string): Promise<SideStat | Refusal> {
  const patch = await withoutSpecialFiles(tree.call, sides, (except) =>
    gitBytes(tree.call, [...PLAIN_DIFF, '--patch', '--binary', ...sides, '--', '.', ...except], { maxBytes: MAX_DIFF_BYTES }),
  );
  if (isRefusal(patch)) return tooLargeInstead(patch, what);
  const numstat = await diffNumstat(tree.call, sides, ['.']);
  return isRefusal(numstat) ? numstat : sumNumstat(Buffer.from(numstat).toString('utf8'));
}

function tooLargeInstead(refusal: Refusal, what = 'the staged content'): Refusal {
  return refusal.refused.detail['reason_code'] === 'output_too_large' ? tooLarge(what) : refusal;
}

function tooLarge(what: string): Refusal {
  return refuse('checkpoint_too_large', `A checkpoint does not take so much: ${what}. Commit or leave out what is large.`, {
    max_diff_bytes: MAX_DIFF_BYTES,
    max_content_bytes: MAX_CONTENT_BYTES,
  });
}
