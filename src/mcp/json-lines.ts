/** One line of input: its text, or that it was longer than anything a client may send. */
export type Line = { readonly text: string } | { readonly tooLong: true };

/**
 * Cuts a byte stream into lines in bounded memory: of a line over the bound nothing is
 * kept, and what follows it is read as usual.
 */
export class JsonLines {
  private parts: Buffer[] = [];
  private bytes = 0;
  private skipping = false;

  constructor(
    private readonly maxLineBytes: number,
    private readonly onLine: (line: Line) => void,
  ) {}

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      this.take(chunk.subarray(start, end));
      this.endLine();
      start = end + 1;
    }
    this.take(chunk.subarray(start));
  }

  private take(part: Buffer): void {
    if (this.skipping || part.length === 0) return;
    this.bytes += part.length;
    if (this.bytes > this.maxLineBytes) {
      this.skipping = true;
      this.parts = [];
      return;
    }
    this.parts.push(part);
  }

  private endLine(): void {
    const line: Line = this.skipping ? { tooLong: true } : { text: Buffer.concat(this.parts).toString('utf8') };
    this.parts = [];
    this.bytes = 0;
    this.skipping = false;
    if ('tooLong' in line || line.text.trim() !== '') this.onLine(line);
  }
}
