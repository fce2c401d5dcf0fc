const FIRST_MS = 100;
const LONGEST_MS = 5_000;

/**
 * How long to wait before the Runner is started again, in milliseconds. The first
 * failure costs nothing, so that a Runner that died alone is back at once; one that
 * dies again and again is retried ever more slowly, up to five seconds.
 *
 * @param failures failures in a row, 1 for the first
 */
export function restartDelayMs(failures: number): number {
  if (failures <= 1) return 0;
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 2, 10));
}
