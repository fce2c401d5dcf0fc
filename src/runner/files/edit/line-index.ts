/** Where the lines of an LF text begin. Lines are counted from 1; a text without a character has none. */
export class LineIndex {
  private readonly starts: number[] = [];

  constructor(private readonly body: string) {
    for (let start = 0; start < body.length; ) {
      this.starts.push(start);
      const newline = body.indexOf('\n', start);
      start = newline === -1 ? body.length : newline + 1;
    }
  }

  get count(): number {
    return this.starts.length;
  }

  /** The line that the character at `offset` lies in; the end of the text counts to its last line. */
  lineAt(offset: number): number {
    let [low, high] = [0, this.starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  /** Where a line begins; the text's end for a line past the last one. */
  startOf(line: number): number {
    return this.starts[line - 1] ?? this.body.length;
  }

  /** Where a line ends, its newline included. */
  endOf(line: number): number {
    return this.startOf(line + 1);
  }
}
