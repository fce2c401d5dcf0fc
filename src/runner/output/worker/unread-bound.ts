/** How long a stream waits for a reader that does not come back, in milliseconds. */
const WAITS_MS = 60_000;
/** The part of a spool that may be unread: far less than its second half, of which nothing is dropped before it was read then. */
const UNREAD_PART = 1 / 4;

/**
 * How much of one stream may be unread by somebody who follows it through its spool. While
 * such a reader is expected, a stream that reached the bound is not read on, as a pipe is
 * not: its command waits. A reader that stays away keeps nobody waiting for long.
 */
export class UnreadBound {
  private readonly maxUnread: number;
  private readBytes = Infinity;
  private total = 0;
  private timer: NodeJS.Timeout | null = null;

  /** @param onChange called when `isReached` may have changed */
  constructor(
    spoolMaxBytes: number,
    private readonly onChange: () => void,
  ) {
    this.maxUnread = Math.floor(spoolMaxBytes * UNREAD_PART);
  }

  get isReached(): boolean {
    return this.total - this.readBytes > this.maxUnread;
  }

  /** Somebody has read up to this absolute offset, and comes back for the rest. */
  readTo(byte: number): void {
    this.readBytes = byte;
    if (this.timer === null) this.timer = setTimeout(() => this.end(), WAITS_MS);
    else this.timer.refresh();
    this.onChange();
  }

  /** The stream is now this long. */
  grown(totalBytes: number): void {
    const before = this.isReached;
    this.total = totalBytes;
    if (this.isReached !== before) this.onChange();
  }

  /** Nobody is waited for any more. */
  end(): void {
    this.readBytes = Infinity;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.onChange();
  }
}
