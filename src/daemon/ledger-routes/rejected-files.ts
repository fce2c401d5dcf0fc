import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

const PREFIX = 'ledger.rejected-';
/** How many rejected documents are kept; the oldest go first. */
const KEPT = 3;

/**
 * Sets a rejected document aside beside the ledger, under the time of its rejection, where
 * nothing writes over it.
 *
 * @param at milliseconds since the epoch
 * @returns the path that it has from now on
 */
export async function keepRejected(path: string, folder: string, at: number): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(PREFIX)).sort();
  const kept = freeName(new Date(at), new Set(names));
  await rename(path, join(folder, kept));
  for (const old of names.slice(0, Math.max(0, names.length + 1 - KEPT))) await rm(join(folder, old), { force: true });
  return join(folder, kept);
}

function freeName(at: Date, taken: ReadonlySet<string>): string {
  const time = at.toISOString().replace(/[-:.]/g, '');
  for (let copy = 0; ; copy += 1) {
    const name = `${PREFIX}${time}${copy === 0 ? '' : `-${copy}`}.json`;
    if (!taken.has(name)) return name;
  }
}
