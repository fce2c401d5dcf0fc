/**
 * Runs works one after the other, in the order they came. For rare changes whose
 * checks and commit must not interleave with those of another one.
 */
export class OneAtATime {
  private last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return result;
  }
}
