/** Tells whoever follows the audit that rows were written. */
export class Arrivals {
  private rounds = 0;
  private readonly waiting = new Set<() => void>();

  /** How often rows were written; whoever reads notes it before, so that nothing comes in between unseen. */
  get seen(): number {
    return this.rounds;
  }

  /** Rows were written. */
  note(): void {
    this.rounds += 1;
    for (const wake of this.waiting) wake();
  }

  /** Settles as soon as something was written after `seen`, and when `signal` ends the wait. */
  async after(seen: number, signal: AbortSignal): Promise<void> {
    if (this.rounds !== seen || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
