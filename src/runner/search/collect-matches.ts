import type { TextMatch } from '../../protocol/runner/search.js';
import { previewContext, previewMatch } from './preview.js';
import { decodeText, readMessage, type RipgrepMessage } from './ripgrep-message.js';

export interface ContextLines {
  readonly before: number;
  readonly after: number;
}

type MatchMessage = Extract<RipgrepMessage, { type: 'match' }>;

/** Reads `rg --json`, file by file, into matches with their context. */
export class MatchCollector {
  readonly matches: TextMatch[] = [];
  /** Files that turned out to be binary after their first match. */
  readonly binaryFiles: string[] = [];
  private path = '';
  private isAdmitted = false;
  private readonly found: MatchMessage['data'][] = [];
  /** Lines of the file that were printed, by their number. */
  private readonly lines = new Map<number, string>();

  constructor(
    private readonly context: ContextLines,
    private readonly admits: (path: string) => boolean,
  ) {}

  read(line: string): void {
    // Whole messages of files that nobody asked about are not even parsed.
    const isOfFile = line.startsWith('{"type":"match"') || line.startsWith('{"type":"context"');
    if (isOfFile && !this.isAdmitted) return;
    const message = readMessage(line);
    if (message === null) return;
    if (message.type === 'begin') this.begin(decodeText(message.data.path));
    else if (message.type === 'end') this.end(message.data.binary_offset !== null);
    else if (message.type === 'match') this.match(message.data);
    else if (message.type === 'context') this.addLines(message.data.line_number, decodeText(message.data.lines));
  }

  private begin(path: string): void {
    this.path = path.replace(/^\.\//, '');
    this.isAdmitted = this.admits(this.path);
    this.found.length = 0;
    this.lines.clear();
  }

  private match(data: MatchMessage['data']): void {
    this.found.push(data);
    this.addLines(data.line_number, decodeText(data.lines));
  }

  private addLines(first: number, text: string): void {
    for (const [index, line] of withoutLineEnding(text).split('\n').entries()) {
      this.lines.set(first + index, line.replace(/\r$/, ''));
    }
  }

  private end(isBinary: boolean): void {
    if (!this.isAdmitted) return;
    if (isBinary) {
      this.binaryFiles.push(this.path);
      return;
    }
    for (const data of this.found) this.matches.push(this.textMatch(data));
  }

  private textMatch({ lines, line_number, submatches }: MatchMessage['data']): TextMatch {
    const text = withoutLineEnding(decodeText(lines));
    const preview = previewMatch(text, submatches[0]?.start ?? 0);
    const last = line_number + text.split('\n').length - 1;
    const { before, after } = this.context;
    return {
      path: this.path,
      line: line_number,
      column: preview.column,
      text: preview.text,
      ...(preview.isCut ? { is_cut: true as const } : {}),
      ...(before > 0 ? { before: this.shown(line_number - before, line_number - 1) } : {}),
      ...(after > 0 ? { after: this.shown(last + 1, last + after) } : {}),
    };
  }

  private shown(first: number, last: number): string[] {
    const shown: string[] = [];
    for (let line = first; line <= last; line += 1) {
      const text = this.lines.get(line);
      if (text !== undefined) shown.push(previewContext(text));
    }
    return shown;
  }
}

function withoutLineEnding(text: string): string {
  return text.replace(/\r?\n$/, '');
}
