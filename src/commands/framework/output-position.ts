/** How far a stream's output was seen: where reading goes on without a gap and without a repeat. */
export class OutputPosition {
  /** The line that comes next, 1 for the first. */
  startLine = 1;
  /** Bytes of that line that were seen already. */
  skipBytes = 0;
  /** Bytes that were seen in all; more than there are where some are no UTF-8. */
  bytes = 0;

  /** Takes note of text that was seen. */
  pass(text: string): void {
    this.bytes += Buffer.byteLength(text);
    const lastBreak = text.lastIndexOf('\n');
    if (lastBreak === -1) {
      this.skipBytes += Buffer.byteLength(text);
      return;
    }
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.startLine += 1;
    this.skipBytes = Buffer.byteLength(text.slice(lastBreak + 1));
  }

  /** Takes the place that an answer gave. */
  moveTo(place: { readonly start_line: number; readonly skip_bytes: number }): void {
    this.startLine = place.start_line;
    this.skipBytes = place.skip_bytes;
  }
}
