const NEWLINE = 10;

/** Which lines of a file are wanted. */
export interface WantedRange {
  readonly startLine: number;
  readonly limit: number;
  /** The most bytes to collect. */
  readonly maxBytes: number;
  /** The most bytes of a single line, which is collected even past `maxBytes`. */
  readonly maxLineBytes: number;
}

/** What a stream held of the wanted lines. */
export interface CollectedRange {
  readonly text: string;
  readonly lineCount: number;
  readonly totalLines: number;
  /** The first wanted line is longer than any that can be given. */
  readonly isLineTooLong: boolean;
}

/**
 * Collects whole lines of a range out of a stream and counts all lines. Lines end with
 * LF; a last line without one counts; an empty file has none.
 */
export class RangeCollector {
  private readonly kept: Buffer[] = [];
  private keptBytes = 0;
  private keptLines = 0;
  private line: Buffer[] = [];
  private lineBytes = 0;
  private lineNumber = 1;
  private isLineBegun = false;
  private isFull = false;
  private isLineTooLong = false;

  constructor(private readonly range: WantedRange) {}

  add(chunk: Buffer): void {
    let start = 0;
    while (start < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline === -1 ? chunk.length : newline + 1;
      this.isLineBegun = true;
      if (this.isWanted()) this.extendLine(chunk.subarray(start, end));
      if (newline !== -1) this.endLine();
      start = end;
    }
  }

  end(): CollectedRange {
    if (this.isLineBegun) this.endLine();
    return {
      text: Buffer.concat(this.kept).toString('utf8'),
      lineCount: this.keptLines,
      totalLines: this.lineNumber - 1,
      isLineTooLong: this.isLineTooLong,
    };
  }

  private isWanted(): boolean {
    const { startLine, limit } = this.range;
    return !this.isFull && this.lineNumber >= startLine && this.lineNumber < startLine + limit;
  }

  private extendLine(part: Buffer): void {
    this.lineBytes += part.length;
    const room = this.keptLines === 0 ? this.range.maxLineBytes : this.range.maxBytes - this.keptBytes;
    if (this.lineBytes > room) {
      this.isFull = true;
      this.isLineTooLong = this.keptLines === 0;
      this.line = [];
      return;
    }
    this.line.push(Buffer.from(part));
  }

  private endLine(): void {
    if (this.line.length > 0) {
      this.kept.push(...this.line);
      this.keptBytes += this.lineBytes;
      this.keptLines += 1;
    }
    this.line = [];
    this.lineBytes = 0;
    this.lineNumber += 1;
    this.isLineBegun = false;
  }
}
