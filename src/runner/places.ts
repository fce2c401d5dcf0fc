/**
 * A fixed number of places for work at a time; who comes later waits in line. Used to
 * bound a request's own parallelism, and to leave threads of the pool to others when
 * a file system hangs (spec 00, decision 32).
 */
export class Places {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  /** Runs `work` when a place is free, and gives the place on when it has settled. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }
}
