import type { z } from 'zod';
import {
  MAX_DIFF_FILES,
  type DiffFile,
  type DiffFiles,
  type DiffPage,
  type diffPageMethod,
} from '../../protocol/runner/git-diff.js';
import type { GitHunk } from '../../protocol/runner/git.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { pathProtection } from '../confinement/index.js';
import { isRefusal, refuse } from '../request.js';
import { inCleanRoom } from './clean-room.js';
import { diffHunks, diffNumstat, PLAIN_DIFF, unprotected, type DiffSides } from './diff.js';
import { commitsSnapshot, workTreeSnapshot, type DiffSnapshot } from './diff-snapshot.js';
import { headOf, requireCommits, type Head } from './head-of.js';
import { pathText } from './nul-records.js';
import { literalPathspecs } from './pathspecs.js';
import { diffFiles, parseNumstat, parseRawDiff } from './raw-diff.js';
import { gitBytes, type GitCall } from './run-git.js';
import { untrackedHunks } from './untracked-hunks.js';
import type { WorkTree } from './work-tree.js';

type Request = Omit<z.output<typeof diffPageMethod.params>, 'root'>;

/** A diff with everything settled that decides on its content. */
interface Comparison {
  readonly call: GitCall;
  readonly sides: DiffSides;
  readonly pathspecs: readonly string[];
  readonly head: Head;
  readonly snapshot: () => Promise<DiffSnapshot | Refusal>;
}

/** One page of a diff (spec 04 §7.7), of the snapshot that the caller stands on. */
export async function diffPage(tree: WorkTree, request: Request): Promise<DiffPage | Refusal> {
  const head = await headOf(tree.call);
  if (isRefusal(head)) return head;
  const { scope } = request;
  if (scope.kind === 'commits') {
    const { base, head: tip } = scope;
    const pathspecs = literalPathspecs(request.paths, tree.prefix);
    if (isRefusal(pathspecs)) return pathspecs;
    return inCleanRoom(tree, async (call) => {
      const unknown = await requireCommits(call, [base, tip]);
      if (unknown !== null) return unknown;
      const sides = [...(tree.prefix === '' ? [] : [`--relative=${tree.prefix}`]), base, tip];
      return page(tree, request, { call, sides, pathspecs, head, snapshot: () => Promise.resolve(commitsSnapshot(base, tip)) });
    });
  }
  const pathspecs = literalPathspecs(request.paths, null);
  if (isRefusal(pathspecs)) return pathspecs;
  const { call } = tree;
  const base = head.commit ?? tree.emptyTree;
  const sides = { workspace: [base], staged: ['--cached', base], unstaged: [] }[scope.kind];
  const looksAt = { files: scope.kind !== 'staged', untracked: scope.kind === 'workspace' };
  const snapshot = (): Promise<DiffSnapshot | Refusal> => workTreeSnapshot(call, sides, pathspecs, looksAt);
  return page(tree, request, { call, sides, pathspecs, head, snapshot });
}

async function page(tree: WorkTree, request: Request, comparison: Comparison): Promise<DiffPage | Refusal> {
  const before = await comparison.snapshot();
  if (isRefusal(before)) return before;
  if (request.expected_snapshot !== null && request.expected_snapshot !== before.id) return stale();
  const [files, read] = await Promise.all([
    request.include_files ? listFiles(comparison, before.untracked) : null,
    readHunks(tree, request, comparison, before.untracked),
  ]);
  if (files !== null && isRefusal(files)) return files;
  if (isRefusal(read)) return read;
  const after = await comparison.snapshot();
  if (isRefusal(after)) return after;
  // What was read may be half of one state and half of the next.
  if (after.id !== before.id) return stale();
  const { branch, commit } = comparison.head;
  return { snapshot: before.id, branch, head: commit, files, hunks: [...read.hunks], more_hunks: read.more };
}

async function readHunks(
  tree: WorkTree,
  request: Request,
  { call, sides, pathspecs }: Comparison,
  untracked: readonly Buffer[],
): Promise<{ readonly hunks: readonly GitHunk[]; readonly more: boolean } | Refusal> {
  const patch = await diffHunks(
    { call },
    sides,
    { maxHunks: request.max_hunks, maxHunkLines: request.max_hunk_lines, maxBytes: request.max_bytes, skipHunks: request.skip_hunks },
    pathspecs,
  );
  if (isRefusal(patch)) return patch;
  if (patch.isCutByBytes) return recordTooLarge(patch.hunks[0]);
  if (patch.more || untracked.length === 0) return patch;
  const taken = patch.hunks.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const added = await untrackedHunks({ path: tree.call.folder }, untracked, {
    skipHunks: request.skip_hunks - patch.skipped,
    maxHunks: request.max_hunks - patch.hunks.length,
    maxHunkLines: request.max_hunk_lines,
    maxBytes: request.max_bytes - taken,
  });
  if (added.more && added.hunks.length + patch.hunks.length === 0 && request.max_hunks > 0) return recordTooLarge(undefined);
  return { hunks: [...patch.hunks, ...added.hunks], more: added.more };
}

function recordTooLarge(hunk: GitHunk | undefined): Refusal {
  const where = hunk === undefined ? 'The next hunk' : `The next hunk, of ${JSON.stringify(hunk.path)},`;
  return refuse('page_record_too_large', `${where} does not fit into a page; ask for a larger page or for fewer lines of a hunk.`, {
    ...(hunk === undefined ? {} : { path: hunk.path, fitting_lines: hunk.text.split('\n').length }),
  });
}

function stale(): Refusal {
  return refuse('stale_continuation', 'The repository is no longer as it was; read the changes again from the start.');
}

async function listFiles({ call, sides, pathspecs }: Comparison, untracked: readonly Buffer[]): Promise<DiffFiles | Refusal> {
  const everything = pathspecs.length === 0 ? ['.'] : pathspecs;
  const [raw, numstat] = await Promise.all([
    gitBytes(call, [...PLAIN_DIFF, '--raw', '-z', ...sides, '--', ...everything]),
    diffNumstat(call, sides, unprotected(pathspecs)),
  ]);
  if (isRefusal(raw)) return raw;
  if (isRefusal(numstat)) return numstat;
  return sumFiles([...diffFiles(parseRawDiff(raw), parseNumstat(numstat)), ...untracked.map(untrackedFile)]);
}

function untrackedFile(bytes: Buffer): DiffFile {
  const name = pathText(bytes);
  return {
    ...name,
    change: 'untracked',
    old_mode: '000000',
    new_mode: '000000',
    insertions: null,
    deletions: null,
    binary: false,
    ...(pathProtection(name.path) === 'secret' ? { protected: true as const } : {}),
  };
}

/** The first files with the sums over all of them. */
export function sumFiles(files: readonly DiffFile[], most = MAX_DIFF_FILES): DiffFiles {
  const sum = (of: (file: DiffFile) => number): number => files.reduce((total, file) => total + of(file), 0);
  return {
    files: files.slice(0, most),
    total: files.length,
    untracked: sum(({ change }) => Number(change === 'untracked')),
    protected: sum((file) => Number(file.protected === true)),
    binary: sum(({ binary }) => Number(binary)),
    insertions: sum(({ insertions }) => insertions ?? 0),
    deletions: sum(({ deletions }) => deletions ?? 0),
  };
}
