import { untilEnded } from './deadline.js';

/** Lets batches on one project go one after the other; other projects do not wait. */
export class Turns {
  private readonly last = new Map<string, Promise<void>>();

  /**
   * Runs `work` when all earlier work of that key has settled.
   *
   * @param signal ends the waiting, never the work
   * @throws Ended when the signal came before the turn
   */
  async take<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    let release = (): void => undefined;
    const mine = new Promise<void>((resolve) => {
      release = resolve;
    });
    const turn = before.then(() => mine);
    this.last.set(key, turn);
    try {
      await untilEnded(before, signal);
      return await work();
    } finally {
      release();
      if (this.last.get(key) === turn) this.last.delete(key);
    }
  }
}
