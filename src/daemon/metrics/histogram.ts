import type { Sample } from './exposition.js';

/** Upper bounds of durations, in seconds: from a look into memory to a test suite. */
const BOUNDS_SECS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800] as const;

/** How many durations fell below each bound since the daemon started. */
export class Histogram {
  private readonly counts = new Float64Array(BOUNDS_SECS.length + 1);
  private sumMs = 0;

  observe(milliseconds: number): void {
    const at = BOUNDS_SECS.findIndex((bound) => milliseconds <= bound * 1_000);
    const bucket = at === -1 ? BOUNDS_SECS.length : at;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sumMs += milliseconds;
  }

  samples(labels: Readonly<Record<string, string>>): readonly Sample[] {
    let total = 0;
    const buckets: Sample[] = [...this.counts].map((count, at) => {
      total += count;
      const bound = BOUNDS_SECS[at];
      return { suffix: '_bucket', labels: { ...labels, le: bound === undefined ? '+Inf' : String(bound) }, value: total };
    });
    return [...buckets, { suffix: '_sum', labels, value: this.sumMs / 1_000 }, { suffix: '_count', labels, value: total }];
  }
}
