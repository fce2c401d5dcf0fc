/** One line of a hunk: of the file (` `), taken away (`-`) or put in (`+`). */
export interface HunkLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** One hunk of an `*** Update File:` section. */
export interface PatchHunk {
  /** Lines of the file that stand before it, outermost first. */
  readonly contexts: readonly string[];
  readonly lines: readonly HunkLine[];
  /** Its lines are the last ones of the file. */
  readonly isEndOfFile: boolean;
  /** Of the patch, from 1. */
  readonly patchLine: number;
}

/** One section of a patch. */
export type PatchSection = { readonly path: string; readonly patchLine: number } & (
  | { readonly kind: 'add'; readonly content: string }
  | { readonly kind: 'delete' }
  | { readonly kind: 'update'; readonly toPath: string | undefined; readonly hunks: readonly PatchHunk[] }
);

/** Why a text is no patch: the line from 1, and a problem that quotes nothing of it. */
export interface PatchProblem {
  readonly patchLine: number;
  readonly problem: string;
}

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const ADD = '*** Add File: ';
const DELETE = '*** Delete File: ';
const UPDATE = '*** Update File: ';
const MOVE = '*** Move to: ';
const END_OF_FILE = '*** End of File';

/**
 * Parses a patch of the `*** Begin Patch` format (spec 04 §7.6):
 *
 *     patch   = "*** Begin Patch" section+ "*** End Patch"
 *     section = "*** Add File: " path ("+" text)*
 *             | "*** Delete File: " path
 *             | "*** Update File: " path ("*** Move to: " path)? hunk*
 *     hunk    = ("@@" (" " context)?)* ((" " | "-" | "+") text)+ "*** End of File"?
 *
 * Only the first hunk of a section may do without `@@`; an empty line in a hunk is an
 * empty line of the file. Blank lines around the patch are left aside.
 */
export function parsePatch(patch: string): readonly PatchSection[] | PatchProblem {
  const lines = patch.replaceAll('\r\n', '\n').split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  if (lines[first]?.trimEnd() !== BEGIN) return { patchLine: Math.max(1, first + 1), problem: 'a patch begins with "*** Begin Patch"' };
  if (lines[last]?.trimEnd() !== END || last === first) return { patchLine: last + 1, problem: 'a patch ends with "*** End Patch"' };
  const reader = new LineReader(lines, first + 1, last);
  const sections: PatchSection[] = [];
  while (!reader.isAtEnd) {
    const section = readSection(reader);
    if ('problem' in section) return section;
    sections.push(section);
  }
  return sections.length === 0 ? { patchLine: last + 1, problem: 'the patch is empty' } : sections;
}

class LineReader {
  constructor(
    private readonly lines: readonly string[],
    private at: number,
    private readonly end: number,
  ) {}

  get isAtEnd(): boolean {
    return this.at >= this.end;
  }

  /** The number of the line that comes next, from 1. */
  get number(): number {
    return this.at + 1;
  }

  peek(): string | null {
    return this.isAtEnd ? null : (this.lines[this.at] ?? null);
  }

  skip(): void {
    this.at += 1;
  }

  /** What follows `prefix` on the next line, which is taken then; else null. */
  takeAfter(prefix: string): string | null {
    const line = this.peek();
    if (line?.startsWith(prefix) !== true) return null;
    this.skip();
    return line.slice(prefix.length);
  }
}

function readSection(reader: LineReader): PatchSection | PatchProblem {
  const patchLine = reader.number;
  const added = reader.takeAfter(ADD);
  if (added !== null) return { kind: 'add', path: added.trim(), patchLine, content: readAdded(reader) };
  const deleted = reader.takeAfter(DELETE);
  if (deleted !== null) return { kind: 'delete', path: deleted.trim(), patchLine };
  const updated = reader.takeAfter(UPDATE);
  if (updated === null) {
    return { patchLine, problem: 'a section begins with "*** Add File: ", "*** Delete File: " or "*** Update File: "' };
  }
  const toPath = reader.takeAfter(MOVE)?.trim();
  const hunks: PatchHunk[] = [];
  while (!startsSection(reader.peek())) {
    const hunk = readHunk(reader, hunks.length === 0);
    if ('problem' in hunk) return hunk;
    hunks.push(hunk);
  }
  if (hunks.length === 0 && toPath === undefined) return { patchLine, problem: 'the section changes nothing' };
  return { kind: 'update', path: updated.trim(), patchLine, toPath, hunks };
}

function readAdded(reader: LineReader): string {
  let content = '';
  for (let line = reader.takeAfter('+'); line !== null; line = reader.takeAfter('+')) content += `${line}\n`;
  return content;
}

function startsSection(line: string | null): boolean {
  return line === null || [ADD, DELETE, UPDATE].some((prefix) => line.startsWith(prefix));
}

function readHunk(reader: LineReader, isFirst: boolean): PatchHunk | PatchProblem {
  const patchLine = reader.number;
  const contexts: string[] = [];
  let marks = 0;
  for (let line = reader.peek(); line !== null && isContext(line); line = reader.peek()) {
    if (line.length > 3) contexts.push(line.slice(3));
    marks += 1;
    reader.skip();
  }
  if (marks === 0 && !isFirst) return { patchLine, problem: 'a hunk begins with "@@"' };
  const lines: HunkLine[] = [];
  for (let line = reader.peek(); line !== null; line = reader.peek()) {
    const sign = line === '' ? ' ' : line[0];
    if (sign !== ' ' && sign !== '-' && sign !== '+') break;
    lines.push({ sign, text: line.slice(1) });
    reader.skip();
  }
  if (lines.length === 0) return { patchLine: reader.number, problem: 'a line of a hunk begins with a blank, "-" or "+"' };
  const isEndOfFile = reader.peek()?.trimEnd() === END_OF_FILE;
  if (isEndOfFile) reader.skip();
  return { contexts, lines, isEndOfFile, patchLine };
}

function isContext(line: string): boolean {
  return line === '@@' || line.startsWith('@@ ');
}
