import type { JsonObject } from '../../protocol/tool-result.js';
import { printableLine } from './printable.js';
import { diffLines } from './render-workspace.js';
import type { Style } from './style.js';
import { textTable } from './text-table.js';
import { byteSize, counted } from './units.js';

interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

interface LeftOut {
  readonly ignored: number;
  readonly ignored_folders: readonly string[];
  readonly binary_files: number;
  readonly too_large_files: number;
  readonly protected: number;
  readonly nested_repositories: readonly string[];
}

/** The answer to one search query. */
export interface FoundItem {
  readonly success: true;
  readonly matches?: readonly Match[];
  readonly files?: readonly string[];
  readonly counts?: readonly { readonly path: string; readonly count: number }[];
  readonly total_count: number;
  readonly next_offset?: number | null;
  readonly left_out: Partial<LeftOut>;
}

/** Matches as `path:line:text`, with `-` in place of `:` for the lines around them, as grep writes them. */
export function renderFound(found: FoundItem, style: Style): string {
  if (found.files) return found.files.map(printableLine).join('\n');
  if (found.counts) return found.counts.map(({ path, count }) => `${printableLine(path)}:${count}`).join('\n');
  const matches = found.matches ?? [];
  const withContext = matches.some(({ before, after }) => before !== undefined || after !== undefined);
  return matches.map((match) => matchLines(match, style).join('\n')).join(withContext ? `\n${style.dim('--')}\n` : '\n');
}

/** What a search passed over, in one line; null when that was nothing. */
export function leftOutText({ left_out: out }: FoundItem): string | null {
  const parts = [
    out.ignored ? `${counted(out.ignored, 'ignored entry', 'ignored entries')}${folderNames(out.ignored_folders)}` : '',
    out.binary_files ? counted(out.binary_files, 'binary file') : '',
    out.too_large_files ? counted(out.too_large_files, 'large file') : '',
    out.protected ? counted(out.protected, 'protected entry', 'protected entries') : '',
    out.nested_repositories?.length ? counted(out.nested_repositories.length, 'nested repository', 'nested repositories') : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : `left out: ${parts.join(', ')}`;
}

function folderNames(folders: readonly string[] = []): string {
  return folders.length === 0 ? '' : ` (${folders.map(printableLine).join(', ')})`;
}

function matchLines({ path, line, text, before = [], after = [] }: Match, style: Style): string[] {
  const name = printableLine(path);
  const lines = text.replace(/\n$/, '').split('\n');
  const around = (content: string, number: number): string => style.dim(`${name}-${number}-${lineOf(content)}`);
  return [
    ...before.map((content, index) => around(content, line - before.length + index)),
    ...lines.map((content, index) => `${style.bold(name)}:${line + index}:${lineOf(content)}`),
    ...after.map((content, index) => around(content, line + lines.length + index)),
  ];
}

/** A line of a file, its indentation kept. */
function lineOf(content: string): string {
  return content.replace(/\r?\n$/, '').split('\t').map(printableLine).join('\t');
}

interface Entry {
  readonly path: string;
  readonly type: 'file' | 'directory' | 'link' | 'other';
  readonly size_bytes?: number;
  readonly protected?: true;
}

/** `list_project_files`, for people. */
export function renderEntries(output: JsonObject, style: Style): string {
  const { entries, total_count: total, next_offset: next, left_out: leftOut } = output as unknown as {
    readonly entries: readonly Entry[];
    readonly total_count: number;
    readonly next_offset: number | null;
    readonly left_out: readonly string[];
  };
  const notes = [
    ...(next === null ? [] : [`… ${total} in all: --offset ${next}`]),
    ...(leftOut.length === 0 ? [] : [`not listed: ${leftOut.map(printableLine).join(', ')}`]),
  ].map((note) => style.dim(note));
  if (entries.length === 0) return ['The folder is empty.', ...notes].join('\n');
  const table = textTable(
    entries,
    [
      { title: 'size', value: ({ size_bytes }) => (size_bytes === undefined ? '-' : byteSize(size_bytes)), align: 'right' },
      { title: 'type', value: (entry) => (entry.protected ? `${entry.type}, protected` : entry.type) },
      { title: 'name', value: ({ path, type }) => (type === 'directory' ? `${path}/` : path) },
    ],
    style,
  );
  return [table, ...notes].join('\n');
}

interface EditedFile {
  readonly kind: string;
  readonly path: string;
  readonly to_path: string | null;
  readonly changed: boolean;
  /** Hunks of a unified diff. */
  readonly diff?: string;
}

/** What a tool that edits did, for people: each file, and the diff where it was asked for. */
export function renderEdits(output: JsonObject, style: Style): string {
  const { dry_run: dryRun, files } = output as unknown as { readonly dry_run: boolean; readonly files: readonly EditedFile[] };
  return files
    .map(({ kind, path, to_path: to, changed, diff }) => {
      const what = !changed && !dryRun ? 'unchanged' : (PAST[kind] ?? kind);
      const name = to === null ? printableLine(path) : `${printableLine(path)} -> ${printableLine(to)}`;
      const head = `${dryRun ? style.warn('would be ') : ''}${what} ${name}`;
      return [head, ...(diff === undefined ? [] : diffLines(diff, style))].join('\n');
    })
    .join('\n');
}

const PAST: Readonly<Record<string, string>> = { edit: 'edited', create: 'created', delete: 'deleted', rename: 'renamed' };
