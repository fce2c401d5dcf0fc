/** What one shell may print before its streams rest, and for how long. */
const BURST_BYTES = 512 * 1_024;
const REST_MS = 10;

/**
 * Keeps a shell that floods from filling the event loop that every other call needs: its
 * streams rest for a moment after each burst, which slows down nothing but the flood.
 */
export class ReadPace {
  private readonly burst = { bytes: 0, startedAt: -Infinity };
  private timer: NodeJS.Timeout | null = null;

  /** @param rest called with true when the streams must not be read, and with false when they may again */
  constructor(
    private readonly rest: (on: boolean) => void,
    private readonly now: () => number,
  ) {}

  took(bytes: number): void {
    const { burst } = this;
    if (this.now() - burst.startedAt > REST_MS) Object.assign(burst, { bytes: 0, startedAt: this.now() });
    burst.bytes += bytes;
    if (burst.bytes <= BURST_BYTES || this.timer !== null) return;
    this.rest(true);
    this.timer = setTimeout(() => {
      this.timer = null;
      burst.bytes = 0;
      this.rest(false);
    }, REST_MS);
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}
