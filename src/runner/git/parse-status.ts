import type { GitChangedFile, GitChangeKind } from '../../protocol/runner/git.js';
import { nulRecords } from './nul-records.js';

/** What git says of HEAD and its branch. */
export interface BranchState {
  readonly head: string | null;
  readonly branch: string | null;
  readonly ahead: number | null;
  readonly behind: number | null;
}

export interface Status {
  readonly branch: BranchState;
  readonly files: readonly GitChangedFile[];
}

/** `git status` in the form that `parseStatus` reads, for the paths under the current folder. */
export function statusArguments(untracked: 'normal' | 'all'): string[] {
  return [
    'status',
    '--porcelain=v2',
    '--branch',
    '--ahead-behind',
    '--find-renames',
    `--untracked-files=${untracked}`,
    // The submodule's own configuration would be obeyed by a git that looks inside.
    '--ignore-submodules=dirty',
    '-z',
    '--',
    '.',
  ];
}

const KINDS: Readonly<Record<string, GitChangeKind>> = {
  M: 'modified',
  T: 'type_changed',
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  U: 'unmerged',
};

/**
 * Reads porcelain v2 with `-z`.
 *
 * @param output the bytes of `git status`
 * @param prefix the project's folder from the top of the work tree, cut off every path
 */
export function parseStatus(output: Uint8Array, prefix: string): Status {
  const records = nulRecords(output);
  const branch = { head: null, branch: null, ahead: null, behind: null } as { -readonly [K in keyof BranchState]: BranchState[K] };
  const files: GitChangedFile[] = [];
  for (let index = 0; index < records.length; index += 1) {
    const record = records[index] ?? Buffer.alloc(0);
    const kind = String.fromCharCode(record[0] ?? 0);
    if (kind === '#') readHeader(record.toString('utf8'), branch);
    else if (kind === '?') files.push({ ...pathOf(record, 1, prefix), staged: null, unstaged: 'untracked' });
    else if (kind === 'u') files.push({ ...pathOf(record, 10, prefix), staged: 'unmerged', unstaged: 'unmerged' });
    else if (kind === '1') files.push({ ...pathOf(record, 8, prefix), ...letters(record) });
    else if (kind === '2') {
      index += 1;
      const from = pathOf(records[index] ?? Buffer.alloc(0), 0, prefix);
      files.push({ ...pathOf(record, 9, prefix), from_path: from.path, ...letters(record) });
    }
  }
  return { branch, files };
}

function readHeader(line: string, branch: { -readonly [K in keyof BranchState]: BranchState[K] }): void {
  const [, name, ...rest] = line.split(' ');
  const value = rest.join(' ');
  if (name === 'branch.oid') branch.head = value === '(initial)' ? null : value;
  if (name === 'branch.head') branch.branch = value === '(detached)' ? null : value;
  if (name === 'branch.ab') {
    branch.ahead = Math.abs(Number(rest[0]));
    branch.behind = Math.abs(Number(rest[1]));
  }
}

function letters(record: Buffer): Pick<GitChangedFile, 'staged' | 'unstaged'> {
  const [x, y] = [String.fromCharCode(record[2] ?? 0), String.fromCharCode(record[3] ?? 0)];
  return { staged: KINDS[x] ?? null, unstaged: KINDS[y] ?? null };
}

/** The path after `fields` space-separated fields; everything to the record's end is path. */
function pathOf(record: Buffer, fields: number, prefix: string): { path: string; path_is_lossy?: true } {
  let start = 0;
  for (let field = 0; field < fields; field += 1) start = record.indexOf(0x20, start) + 1;
  const bytes = record.subarray(start);
  const text = bytes.toString('utf8');
  const path = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  return Buffer.from(text).equals(bytes) ? { path } : { path, path_is_lossy: true };
}
