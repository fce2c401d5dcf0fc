/** Samples of two ways to do the same, in milliseconds. */
export interface Samples {
  readonly ours: readonly number[];
  readonly baseline: readonly number[];
}

/** Something to time. What it resolves with, when that is a function, is awaited untimed. */
export type Way = () => Promise<unknown>;

/**
 * Times two ways in turns, so that whatever else the machine does falls on both alike.
 *
 * @param rounds how often each is timed, after `warmUp` rounds that are not counted
 */
export async function takeTurns(
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
  ours: Way,
  baseline: Way,
): Promise<Samples> {
  const samples = { ours: [] as number[], baseline: [] as number[] };
  for (let round = -warmUp; round < rounds; round += 1) {
    const ourTime = await timed(ours);
    const baselineTime = await timed(baseline);
    if (round < 0) continue;
    samples.ours.push(ourTime);
    samples.baseline.push(baselineTime);
  }
  return samples;
}

/** How long one run takes, in milliseconds. */
export async function timed(way: Way): Promise<number> {
  const from = performance.now();
  const settle = await way();
  const took = performance.now() - from;
  if (typeof settle === 'function') await (settle as () => unknown)();
  return took;
}
