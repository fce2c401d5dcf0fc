const NEWLINE = 0x0a;

/** A place behind a read, as `read_job_output` gives it. */
interface ReadEnd {
  readonly start_line: number;
  readonly skip_bytes: number;
}

/** How far a stream's output was seen: where reading goes on without a gap and without a repeat. */
export class OutputPosition {
  /** The line that comes next, 1 for the first. */
  startLine = 1;
  /** Bytes of that line that were seen already. */
  skipBytes = 0;
  /** Bytes that were seen in all. */
  bytes = 0;

  /** Takes note of live output that was seen. */
  pass(seen: Buffer): void {
    this.bytes += seen.length;
    const lastBreak = seen.lastIndexOf(NEWLINE);
    if (lastBreak === -1) {
      this.skipBytes += seen.length;
      return;
    }
    for (let at = seen.indexOf(NEWLINE); at !== -1; at = seen.indexOf(NEWLINE, at + 1)) this.startLine += 1;
    this.skipBytes = seen.length - (lastBreak + 1);
  }

  /** Takes note of a read, which may have had to go on behind a dropped part. */
  passRead(seen: Buffer, end: ReadEnd): void {
    this.bytes += seen.length;
    this.startLine = end.start_line;
    this.skipBytes = end.skip_bytes;
  }
}
