/** The most bytes of a line that are kept; the rest of it is skipped. */
const MAX_LINE_BYTES = 8192;

export interface Line {
  /** The line without its newline; bytes that are no UTF-8 show as U+FFFD. */
  readonly text: string;
  readonly isCut: boolean;
}

/** Splits a stream of bytes at newlines, in memory that a line without end cannot grow. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const line = new LineBuffer();
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      line.add(chunk.subarray(start, end));
      yield line.take();
      start = end + 1;
    }
    if (start < chunk.length) line.add(chunk.subarray(start));
  }
  if (line.isBegun) yield line.take();
}

const NEWLINE = 10;

class LineBuffer {
  isBegun = false;
  private parts: Uint8Array[] = [];
  private length = 0;
  private isCut = false;

  add(part: Uint8Array): void {
    this.isBegun = true;
    const kept = part.subarray(0, MAX_LINE_BYTES - this.length);
    if (kept.length < part.length) this.isCut = true;
    if (kept.length > 0) this.parts.push(kept);
    this.length += kept.length;
  }

  take(): Line {
    const line = { text: Buffer.concat(this.parts).toString('utf8'), isCut: this.isCut };
    this.parts = [];
    this.length = 0;
    this.isCut = false;
    this.isBegun = false;
    return line;
  }
}
