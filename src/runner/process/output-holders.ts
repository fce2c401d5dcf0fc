import { holdersOf } from './descriptor-holders.js';

/**
 * Which other processes hold one of some unlinked FIFOs open: those that keep a stream
 * of an ended command alive.
 *
 * @param fifos where the FIFOs had their names
 */
export async function processesHolding(fifos: readonly string[], self: number = process.pid): Promise<number[]> {
  const holders = await holdersOf(new Set(fifos.map((path) => `${path} (deleted)`)));
  return holders.filter((pid) => pid !== self);
}
