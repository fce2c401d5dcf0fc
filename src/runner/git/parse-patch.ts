import type { GitHunk } from '../../protocol/runner/git.js';
import type { StreamRecord } from '../split-records.js';
import { unquotePath } from './unquote-path.js';

export interface PatchBounds {
  readonly maxHunks: number;
  /** Lines of one hunk. */
  readonly maxHunkLines: number;
  /** UTF-8 bytes of all hunk texts. */
  readonly maxBytes: number;
  /** Paths whose hunks are passed over. */
  readonly leaveOut: (path: string) => boolean;
  /** Hunks at the front that an earlier page has given. */
  readonly skipHunks?: number;
}

export interface Patch {
  readonly hunks: readonly GitHunk[];
  /** Whether a bound was met, so that the rest of the patch was not read. */
  readonly more: boolean;
  /** How many hunks at the front were passed over as asked. */
  readonly skipped: number;
  /** Whether the only hunk passed the byte bound by itself and was cut for it. */
  readonly isCutByBytes: boolean;
}

/** Reads hunks out of `git diff` with prefixes `a/` and `b/`, until the patch or a bound ends. */
export async function parsePatch(lines: AsyncIterable<StreamRecord>, bounds: PatchBounds): Promise<Patch> {
  const reader = new PatchReader(bounds);
  for await (const line of lines) {
    if (!reader.read(line)) return reader.patch(true);
  }
  reader.closeHunk();
  return reader.patch(false);
}

const HUNK_HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: (.*))?$/s;

type HunkStart = Omit<GitHunk, 'text' | 'omitted_lines' | 'cut_lines'>;

interface OpenHunk {
  readonly start: HunkStart;
  readonly lines: string[];
  omitted: number;
  cut: number;
}

class PatchReader {
  readonly hunks: GitHunk[] = [];
  private bytes = 0;
  private skipped = 0;
  private isCutByBytes = false;
  private oldPath: string | null = null;
  private newPath: string | null = null;
  private hunk: OpenHunk | null = null;
  /** Lines of the hunk that its header promised and that have not come yet, on either side. */
  private oldLeft = 0;
  private newLeft = 0;

  constructor(private readonly bounds: PatchBounds) {}

  /** @returns false when a bound is met and nothing more is to be read */
  read(line: StreamRecord): boolean {
    const isContent = this.oldLeft > 0 || this.newLeft > 0 || line.text.startsWith('\\');
    if (isContent) return this.readContent(line);
    this.closeHunk();
    const header = HUNK_HEADER.exec(line.text);
    if (header !== null) return this.openHunk(header);
    this.readFileHeader(line.text);
    return true;
  }

  patch(more: boolean): Patch {
    return { hunks: this.hunks, more, skipped: this.skipped, isCutByBytes: this.isCutByBytes };
  }

  closeHunk(): void {
    if (this.hunk === null) return;
    const { start, lines, omitted, cut } = this.hunk;
    this.hunks.push({ ...start, text: lines.join('\n'), omitted_lines: omitted, cut_lines: cut });
    this.hunk = null;
  }

  private openHunk(header: RegExpExecArray): boolean {
    const [, oldStart, oldLines = '1', newStart, newLines = '1', section = ''] = header;
    this.oldLeft = Number(oldLines);
    this.newLeft = Number(newLines);
    const path = this.newPath ?? this.oldPath ?? '';
    const isLeftOut = this.bounds.leaveOut(path) || (this.oldPath !== null && this.bounds.leaveOut(this.oldPath));
    if (isLeftOut) return true;
    if (this.skipped < (this.bounds.skipHunks ?? 0)) {
      this.skipped += 1;
      return true;
    }
    if (this.hunks.length >= this.bounds.maxHunks) return false;
    this.hunk = {
      start: {
        path,
        ...(this.oldPath !== null && this.oldPath !== path ? { from_path: this.oldPath } : {}),
        old_start: Number(oldStart),
        old_lines: this.oldLeft,
        new_start: Number(newStart),
        new_lines: this.newLeft,
        section,
      },
      lines: [],
      omitted: 0,
      cut: 0,
    };
    return true;
  }

  private readContent({ text, isCut }: StreamRecord): boolean {
    const sign = text[0];
    if (sign !== '\\' && sign !== '+') this.oldLeft -= 1;
    if (sign !== '\\' && sign !== '-') this.newLeft -= 1;
    if (this.hunk === null) return true;
    if (this.hunk.lines.length >= this.bounds.maxHunkLines) {
      this.hunk.omitted += 1;
      return true;
    }
    this.bytes += Buffer.byteLength(text) + 1;
    if (this.bytes > this.bounds.maxBytes) {
      // A hunk that does not fit whole is left for the next look, unless it would be the only one.
      if (this.hunks.length === 0) {
        this.hunk.omitted += 1 + Math.max(this.oldLeft, this.newLeft);
        this.isCutByBytes = true;
        this.closeHunk();
      }
      return false;
    }
    this.hunk.lines.push(text);
    if (isCut) this.hunk.cut += 1;
    return true;
  }

  private readFileHeader(line: string): void {
    if (line.startsWith('diff --git ')) [this.oldPath, this.newPath] = [null, null];
    else if (line.startsWith('--- ')) this.oldPath = sidePath(line.slice(4), 'a/');
    else if (line.startsWith('+++ ')) this.newPath = sidePath(line.slice(4), 'b/');
  }
}

function sidePath(shown: string, prefix: string): string | null {
  const path = unquotePath(shown);
  return path.startsWith(prefix) ? path.slice(prefix.length) : null;
}
