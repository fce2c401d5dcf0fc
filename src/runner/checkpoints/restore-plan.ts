import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { z } from 'zod';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { SUBMODULE_MODE } from '../git/index-entries.js';
import { nulRecords } from '../git/nul-records.js';
import { gitBytes } from '../git/run-git.js';
import { withTemporaryIndex } from '../git/temporary-index.js';
import type { WorkTree } from '../git/work-tree.js';
import { fileInTheWay } from '../git/work-file.js';
import { filteredPath } from '../git/writable-paths.js';
import { isRefusal, refuse } from '../request.js';
import type { Captured } from './capture.js';
import { readContent } from './contents.js';
import { workStateSchema, type Checkpoint, type TrackedState, type WorkState } from './document.js';
import { findState, isSameWork } from './work-state.js';

const entrySchema = z.strictObject({ mode: z.string(), oid: z.string() }).nullable();

/** What a restore changes, each with what it was and what it becomes. */
export const restorePlanSchema = z.strictObject({
  /** Paths from the top of the work tree. */
  index: z.array(z.strictObject({ path: z.string(), before: entrySchema, after: entrySchema })),
  /** Paths from the project's folder. */
  work: z.array(z.strictObject({ path: z.string(), before: workStateSchema, after: workStateSchema })),
});
export type RestorePlan = z.infer<typeof restorePlanSchema>;

/** A plan with all bytes that it needs in either direction. */
export interface PlannedRestore {
  readonly plan: RestorePlan;
  readonly contents: ReadonlyMap<string, Buffer>;
  /** Bytes of staged content that git must hold before the index may name it. */
  readonly blobs: readonly string[];
}

const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MISSING: WorkState = { state: 'missing' };

/** What a path is to be. */
interface Wanted {
  readonly path: string;
  readonly index: { readonly mode: string; readonly oid: string; readonly sha256: string | null } | null;
  readonly work: WorkState;
}

/**
 * Compares a checkpoint with what is there. Paths that differ from HEAD now and did not
 * then go back to HEAD. Untracked files are never overwritten and never deleted.
 *
 * @throws DamagedContent when kept bytes are not what they were
 */
export async function planRestore(
  tree: WorkTree,
  checkpoint: Checkpoint,
  contentFolder: string,
  current: Captured,
): Promise<PlannedRestore | Refusal> {
  const contents = new Map<string, Buffer>(current.contents);
  const kept = new Set(checkpoint.tracked.map(({ path }) => path));
  const reverted = await atHead(tree, current.head.commit, current.tracked.filter(({ path }) => !kept.has(path)), contents);
  if (isRefusal(reverted)) return reverted;
  const wanted: Wanted[] = [...checkpoint.tracked, ...reverted];
  const indexed = await indexEntries(tree, wanted.map(({ path }) => path));
  if (isRefusal(indexed)) return indexed;

  const plan: RestorePlan = { index: [], work: [] };
  const blobs: string[] = [];
  const conflicts: string[] = [];
  const removals = new Set(wanted.filter(({ path, work }) => work.state === 'missing' && indexed.has(path)).map(({ path }) => path));
  for (const { path, index, work } of wanted) {
    const before = indexed.get(path) ?? null;
    const after = index === null ? null : { mode: index.mode, oid: index.oid };
    if (before?.oid !== after?.oid || before?.mode !== after?.mode) {
      plan.index.push({ path: tree.prefix + path, before, after });
      if (index !== null && index.sha256 !== null) blobs.push(index.sha256);
    }
    await planFile(tree, { path, work, isTracked: before !== null }, { plan, contents, conflicts, removals });
  }
  for (const { path, permissions, sha256 } of checkpoint.untracked) {
    const file = { path, work: { state: 'file' as const, permissions, sha256 }, isTracked: false };
    await planFile(tree, file, { plan, contents, conflicts, removals });
  }
  if (conflicts.length > 0) return untrackedConflict(conflicts);
  for (const sha256 of [...blobs, ...plan.work.flatMap(({ after }) => ('sha256' in after ? [after.sha256] : []))]) {
    if (!contents.has(sha256)) contents.set(sha256, await readContent(contentFolder, sha256));
  }
  return { plan, contents, blobs };
}

async function planFile(
  tree: WorkTree,
  wanted: { readonly path: string; readonly work: WorkState; readonly isTracked: boolean },
  into: {
    readonly plan: RestorePlan;
    readonly contents: Map<string, Buffer>;
    readonly conflicts: string[];
    readonly removals: ReadonlySet<string>;
  },
): Promise<void> {
  const { path, work, isTracked } = wanted;
  if (work.state === 'submodule') return;
  const found = await findState(tree.call.folder, path, MAX_FILE_BYTES);
  if (found === 'odd' && work.state === 'missing') return;
  if (typeof found === 'string') {
    // A folder makes room when all that lies in it goes anyway.
    if (found === 'odd' && (await holdsOnly(tree.call.folder, path, into.removals))) into.plan.work.push({ path, before: MISSING, after: work });
    else into.conflicts.push(path);
    return;
  }
  if (isSameWork(found.state, work)) return;
  const inTheWay = found.state.state === 'missing' ? await fileInTheWay(tree.call.folder, path) : null;
  if (inTheWay !== null && !into.removals.has(inTheWay)) {
    if (!into.conflicts.includes(inTheWay)) into.conflicts.push(inTheWay);
    return;
  }
  // Git does not know what lies here, so that nothing else would keep it.
  const isLoose = !isTracked && found.state.state !== 'missing';
  if (isLoose && !isSameContent(found.state, work)) {
    into.conflicts.push(path);
    return;
  }
  if (found.content !== null && 'sha256' in found.state) into.contents.set(found.state.sha256, found.content);
  into.plan.work.push({ path, before: found.state, after: work });
}

async function holdsOnly(root: string, folder: string, removals: ReadonlySet<string>): Promise<boolean> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => null);
  const files = entries?.filter((entry) => !entry.isDirectory()).map((entry) => relative(root, join(entry.parentPath, entry.name)));
  return files !== undefined && files.length > 0 && files.every((path) => removals.has(path));
}

function isSameContent(one: WorkState, other: WorkState): boolean {
  return one.state === other.state && 'sha256' in one && 'sha256' in other && one.sha256 === other.sha256;
}

function untrackedConflict(paths: readonly string[]): Refusal {
  return refuse('untracked_conflict', 'Files that git does not keep lie where the restore would write; move them away first.', {
    paths: paths.slice(0, 50),
    total: paths.length,
    state_changed: false,
  });
}

/** What the index holds of some paths now. */
export async function indexEntries(tree: WorkTree, paths: readonly string[]): Promise<Map<string, { mode: string; oid: string }> | Refusal> {
  const entries = new Map<string, { mode: string; oid: string }>();
  if (paths.length === 0) return entries;
  const wanted = new Set(paths);
  // All of them, since a command line does not hold any number of paths.
  const output = await gitBytes(tree.call, ['ls-files', '--stage', '-z', '--', '.']);
  if (isRefusal(output)) return output;
  for (const record of nulRecords(output)) {
    const tab = record.indexOf(9);
    const path = record.toString('utf8', tab + 1);
    if (!wanted.has(path)) continue;
    const [mode = '', oid = ''] = record.toString('latin1', 0, tab).split(' ');
    entries.set(path, { mode, oid });
  }
  return entries;
}

/** HEAD's own version of paths, as a checkout would write it. */
async function atHead(
  tree: WorkTree,
  head: string | null,
  changed: readonly TrackedState[],
  contents: Map<string, Buffer>,
): Promise<Wanted[] | Refusal> {
  const files = changed.filter((one) => one.head !== null && one.head.mode !== SUBMODULE_MODE).map(({ path }) => path);
  const filtered = await filteredPath(tree, files);
  if (filtered !== null) {
    const { detail, message } = filtered.refused;
    return refuse('unsafe_current_state', message, { ...detail });
  }
  const folder = await mkdtemp(join(tmpdir(), 'wc-checkout-'));
  try {
    if (head !== null && files.length > 0) {
      const written = await withTemporaryIndex(tree.call, head, (call) =>
        gitBytes(call, ['checkout-index', '-z', '--stdin', `--prefix=${folder}/`], { input: files.map((path) => `${path}\0`).join('') }),
      );
      if (isRefusal(written)) return written;
    }
    const wanted: Wanted[] = [];
    for (const { path, head: entry, work } of changed) {
      const index = entry === null ? null : { ...entry, sha256: null };
      if (entry?.mode === SUBMODULE_MODE || work.state === 'submodule') {
        wanted.push({ path, index, work: { state: 'submodule' } });
      } else if (entry === null) wanted.push({ path, index, work: MISSING });
      else {
        const found = await findState(folder, tree.prefix + path, MAX_FILE_BYTES);
        if (typeof found === 'string' || found.content === null || !('sha256' in found.state)) {
          return refuse('unsafe_current_state', `HEAD's version of ${JSON.stringify(path)} could not be read.`, { path, reason_code: 'head_unreadable' });
        }
        contents.set(found.state.sha256, found.content);
        wanted.push({ path, index, work: found.state });
      }
    }
    return wanted;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
