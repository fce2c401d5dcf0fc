/**
 * The value that `share` of the samples do not exceed, by the nearest rank.
 *
 * @param share 0..1, 0.5 for the median
 */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new Error('no samples');
  const sorted = samples.toSorted((one, other) => one - other);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] as number;
}
