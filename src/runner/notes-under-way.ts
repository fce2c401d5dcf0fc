/** Notes of one request that may be on their way before their sender is told to wait. */
const MAX_UNDER_WAY = 16;

/** The notes of one request that were sent and not yet taken by whoever listens behind the daemon. */
export class NotesUnderWay {
  private count = 0;
  private ended = false;
  private waiting: (() => void)[] = [];

  /** Counts a note that was sent; false when its sender had better wait. */
  sent(): boolean {
    this.count += 1;
    return this.ended || this.count < MAX_UNDER_WAY;
  }

  /** The listener has taken the oldest one. */
  taken(): void {
    this.count -= 1;
    if (this.count <= MAX_UNDER_WAY / 2) this.release();
  }

  /** Settles when at most half of the bound is on its way, or when nobody listens any more. */
  drained(): Promise<void> {
    if (this.ended || this.count <= MAX_UNDER_WAY / 2) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** The request is over, or its connection: nobody waits any more. */
  end(): void {
    this.ended = true;
    this.release();
  }

  private release(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
