/** No duration in milliseconds and no size of ours comes near it; what did would count as this. */
const MAX_VALUE = 2 ** 32 - 1;

/**
 * Whole numbers from 0 on that are collected for exact percentiles: four bytes each,
 * whatever their number, and no object per value.
 */
export class Samples {
  private values = new Uint32Array(64);
  private used = 0;
  private isSorted = true;

  get count(): number {
    return this.used;
  }

  add(value: number): void {
    if (this.used === this.values.length) {
      const larger = new Uint32Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.used] = Math.min(value, MAX_VALUE);
    this.used += 1;
    this.isSorted = false;
  }

  /** The values in ascending order; not a copy. */
  sorted(): Uint32Array {
    const values = this.values.subarray(0, this.used);
    if (!this.isSorted) values.sort();
    this.isSorted = true;
    return values;
  }
}

/**
 * The nearest-rank percentile of several collections taken together: the value at sorted
 * index `ceil(p · n) - 1`, null without values. They are not merged: the value is found by
 * bisection, so that a total costs next to nothing beside its parts.
 *
 * @param percent whole per cent, since 0.95 · 20 is not 19 in every arithmetic
 */
export function percentile(collections: readonly Samples[], percent: number): number | null {
  const parts = collections.map((samples) => samples.sorted()).filter(({ length }) => length > 0);
  const count = parts.reduce((sum, { length }) => sum + length, 0);
  const rank = Math.max(1, Math.ceil((percent * count) / 100));
  const only = parts[0];
  if (only === undefined) return null;
  if (parts.length === 1) return only[rank - 1] ?? null;
  let low = Math.min(...parts.map((part) => part[0] ?? 0));
  let high = Math.max(...parts.map((part) => part.at(-1) ?? 0));
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    const upToMiddle = parts.reduce((sum, part) => sum + countUpTo(part, middle), 0);
    if (upToMiddle >= rank) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** How many of the ascending `values` are at most `limit`. */
function countUpTo(values: Uint32Array, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? Infinity) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
