import { execa } from 'execa';
import type { WorkspaceChanges } from '../../protocol/runner/git.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { PROTECTED_NAME_GLOBS, pathProtection } from '../confinement/index.js';
import { isRefusal } from '../request.js';
import { splitRecords } from '../split-records.js';
import { parsePatch, type Patch, type PatchBounds } from './parse-patch.js';
import { gitBytes, gitFailed, gitNotEnded, type GitCall } from './run-git.js';
import { withoutSpecialFiles } from './special-files.js';
import type { WorkTree } from './work-tree.js';

/** Options under which no configuration of the repository decides what a diff runs or looks like. */
export const PLAIN_DIFF = [
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-indent-heuristic',
  '--diff-algorithm=myers',
  '--find-renames',
  '--ignore-submodules=dirty',
  '--submodule=short',
  '--relative',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];

/** Options of the hunks themselves; each of them makes git print a patch, whatever else was asked for. */
const PATCH = ['--patch', '--unified=3', '--inter-hunk-context=0'];

const PATCH_LINES = { delimiter: 10, maxBytes: 8192 };

/** What a diff compares, as arguments of git: a base, `--cached` and a base, or two commits. */
export type DiffSides = readonly string[];

/** The pathspecs that keep the text of protected files out of git's own hands. */
const EXCEPT_PROTECTED = [
  ...PROTECTED_NAME_GLOBS.secret.flatMap((name) => [
    `:(exclude,icase,glob)**/${name}`,
    `:(exclude,icase,glob)**/${name}/**`,
  ]),
];

/** The pathspecs of a diff without protected files: the given ones, or everything below. */
export function unprotected(pathspecs: readonly string[] = []): string[] {
  return [...(pathspecs.length === 0 ? ['.'] : pathspecs), ...EXCEPT_PROTECTED];
}

/** Counts of lines of the tracked files between two sides; files whose bytes are equal count for nothing. */
export async function diffStat(tree: WorkTree, sides: DiffSides): Promise<WorkspaceChanges['diff_stat'] | Refusal> {
  const numstat = await diffNumstat(tree.call, sides, unprotected());
  return isRefusal(numstat) ? numstat : sumNumstat(Buffer.from(numstat).toString('utf8'));
}

/** What `git diff --numstat -z` prints between two sides. */
export function diffNumstat(call: GitCall, sides: DiffSides, pathspecs: readonly string[]): Promise<Uint8Array | Refusal> {
  return withoutSpecialFiles(call, sides, (except) => gitBytes(call, [...PLAIN_DIFF, '--numstat', '-z', ...sides, '--', ...pathspecs, ...except]));
}

/** Sums `--numstat -z`: `added TAB removed TAB path`, or an empty path and two more fields for a rename. */
export function sumNumstat(text: string): WorkspaceChanges['diff_stat'] {
  const sum = { files: 0, insertions: 0, deletions: 0, binary_files: 0 };
  const fields = text.split('\0');
  for (let index = 0; index < fields.length; index += 1) {
    const [added, removed, path] = (fields[index] ?? '').split('\t');
    if (added === undefined || removed === undefined || path === undefined) continue;
    const isRename = path === '';
    if (isRename) index += 2;
    if (added === '-') sum.binary_files += 1;
    else if (added === '0' && removed === '0' && !isRename) continue;
    sum.files += 1;
    sum.insertions += Number(added) || 0;
    sum.deletions += Number(removed) || 0;
  }
  return sum;
}

/** The hunks of the tracked files between two sides, read only as far as the bounds reach. */
export function diffHunks(
  tree: Pick<WorkTree, 'call'>,
  sides: DiffSides,
  bounds: Omit<PatchBounds, 'leaveOut'>,
  pathspecs?: readonly string[],
): Promise<Patch | Refusal> {
  const { call } = tree;
  return withoutSpecialFiles(call, sides, (except) => readHunks(call, sides, bounds, [...unprotected(pathspecs), ...except]));
}

async function readHunks(
  { folder, environment, signal }: GitCall,
  sides: DiffSides,
  bounds: Omit<PatchBounds, 'leaveOut'>,
  pathspecs: readonly string[],
): Promise<Patch | Refusal> {
  const git = execa('git', [...PLAIN_DIFF, ...PATCH, ...sides, '--', ...pathspecs], {
    cwd: folder,
    env: environment,
    extendEnv: false,
    stdin: 'ignore',
    buffer: { stdout: false },
    reject: false,
    cancelSignal: signal,
    forceKillAfterDelay: 500,
  });
  const leaveOut = (path: string): boolean => pathProtection(path) === 'secret';
  let patch: Patch | null = null;
  try {
    const chunks = git.iterable({ from: 'stdout', binary: true, preserveNewlines: true });
    patch = await parsePatch(splitRecords(chunks, PATCH_LINES), { ...bounds, leaveOut });
  } catch {
    // The stream fails with its child; how that ended is said below.
  }
  if (patch?.more === true) git.kill();
  const result = await git;
  if (patch?.more === true) return patch;
  if (result.exitCode === undefined) return gitNotEnded(result, signal);
  return result.exitCode === 0 && patch !== null
    ? patch
    : gitFailed({ exitCode: result.exitCode, stderr: result.stderr });
}
