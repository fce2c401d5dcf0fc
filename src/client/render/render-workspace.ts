import { printable, printableLine } from './printable.js';
import type { Style } from './style.js';
import { counted } from './units.js';

/** A Git state as outputs carry it. */
export interface GitView {
  readonly branch: string | null;
  readonly head: string | null;
  readonly ahead: number | null;
  readonly behind: number | null;
  readonly operation?: string;
}

export interface ChangedFile {
  readonly path: string;
  readonly from_path?: string;
  readonly staged: string | null;
  readonly unstaged: string | null;
}

export interface Hunk {
  readonly path: string;
  readonly old_start: number;
  readonly old_lines: number;
  readonly new_start: number;
  readonly new_lines: number;
  readonly section: string;
  readonly text: string;
  readonly omitted_lines: number;
}

/** `main @ 1a2b3c4d, 2 ahead, 1 behind, rebase in progress`. */
export function gitPosition(git: GitView | null): string {
  if (git === null) return '';
  const at = git.head === null ? 'no commit yet' : git.head.slice(0, 8);
  return [
    `${git.branch ?? '(detached)'} @ ${at}`,
    ...(git.ahead ? [`${git.ahead} ahead`] : []),
    ...(git.behind ? [`${git.behind} behind`] : []),
    ...(git.operation ? [`${git.operation} in progress`] : []),
  ].join(', ');
}

const LETTERS: Readonly<Record<string, string>> = {
  modified: 'M',
  type_changed: 'T',
  added: 'A',
  deleted: 'D',
  renamed: 'R',
  copied: 'C',
  unmerged: 'U',
  untracked: '?',
};

/** Files with git's two letters: index against HEAD, work tree against index. */
export function fileLines(files: readonly ChangedFile[], style: Style): string[] {
  return files.map((file) => {
    const untracked = file.unstaged === 'untracked';
    const staged = untracked ? '?' : (LETTERS[file.staged ?? ''] ?? ' ');
    const unstaged = LETTERS[file.unstaged ?? ''] ?? ' ';
    const from = file.from_path === undefined ? '' : `${printableLine(file.from_path)} -> `;
    return `${style.good(staged)}${style.bad(unstaged)} ${from}${printableLine(file.path)}`;
  });
}

/** Hunks as a unified diff, the file's name once above its hunks. */
export function hunkLines(hunks: readonly Hunk[], style: Style): string[] {
  const lines: string[] = [];
  let path: string | null = null;
  for (const hunk of hunks) {
    if (hunk.path !== path) lines.push(style.bold(printableLine(hunk.path)));
    path = hunk.path;
    const range = `@@ -${hunk.old_start},${hunk.old_lines} +${hunk.new_start},${hunk.new_lines} @@`;
    lines.push(style.dim(hunk.section === '' ? range : `${range} ${printableLine(hunk.section)}`));
    for (const line of hunk.text.replace(/\n$/, '').split('\n')) lines.push(paintedLine(printable(line), style));
    if (hunk.omitted_lines > 0) lines.push(style.dim(`… ${counted(hunk.omitted_lines, 'more line')}`));
  }
  return lines;
}

/** The hunks of a unified diff as they are painted in a terminal. */
export function diffLines(diff: string, style: Style): string[] {
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => (line.startsWith('@@') ? style.dim(printable(line)) : paintedLine(printable(line), style)));
}

function paintedLine(line: string, style: Style): string {
  if (line.startsWith('+')) return style.good(line);
  return line.startsWith('-') ? style.bad(line) : line;
}
