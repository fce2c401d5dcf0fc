/** How long an answer of the daemon stands for its health, in milliseconds. */
const GOOD_FOR_MS = 1_000;

/**
 * When the daemon last answered. A call that only observes may take an answer younger than
 * a second for the daemon's health: if it was wrong, the call is simply made again. A call
 * that has effects may not, since a stopped daemon would find it in its socket and run it
 * after its caller was told that nothing answers.
 */
export class ProofOfLife {
  private answeredAt = Number.NEGATIVE_INFINITY;

  /** @param now monotonic milliseconds */
  constructor(private readonly now: () => number) {}

  get isFresh(): boolean {
    return this.now() - this.answeredAt < GOOD_FOR_MS;
  }

  answered(): void {
    this.answeredAt = this.now();
  }

  /** Something went wrong with it: the next call asks first. */
  doubt(): void {
    this.answeredAt = Number.NEGATIVE_INFINITY;
  }
}
