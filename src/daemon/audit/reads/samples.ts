/**
 * Whole numbers that are collected for exact percentiles: eight bytes each, whatever their
 * number, and no object per value.
 */
export class Samples {
  private values = new Float64Array(64);
  private used = 0;
  private sorted = true;

  get count(): number {
    return this.used;
  }

  add(value: number): void {
    if (this.used === this.values.length) {
      const larger = new Float64Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.used] = value;
    this.used += 1;
    this.sorted = false;
  }

  /** Takes over the values of another collection. */
  include(other: Samples): void {
    const together = new Float64Array(Math.max(64, this.used + other.used));
    together.set(this.values.subarray(0, this.used));
    together.set(other.values.subarray(0, other.used), this.used);
    this.values = together;
    this.used += other.used;
    this.sorted = false;
  }

  /**
   * The nearest-rank percentile: the value at sorted index `ceil(p · n) - 1`, null without values.
   *
   * @param percent whole per cent, since 0.95 · 20 is not 19 in every arithmetic
   */
  percentile(percent: number): number | null {
    if (this.used === 0) return null;
    if (!this.sorted) {
      this.values.subarray(0, this.used).sort();
      this.sorted = true;
    }
    return this.values[Math.max(0, Math.ceil((percent * this.used) / 100) - 1)] ?? null;
  }
}
