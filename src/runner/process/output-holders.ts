import { readdir, readlink } from 'node:fs/promises';

/**
 * Which other processes hold one of some unlinked FIFOs open: those that keep a stream
 * of an ended command alive. Known only where `/proc` lists descriptors, and only of
 * processes of this user; elsewhere nobody is named.
 *
 * @param fifos where the FIFOs had their names
 */
export async function processesHolding(fifos: readonly string[], self: number = process.pid): Promise<number[]> {
  const targets = new Set(fifos.map((path) => `${path} (deleted)`));
  const pids = (await readNames('/proc')).filter((name) => /^[0-9]+$/.test(name) && Number(name) !== self);
  const holding = await Promise.all(pids.map(async (pid) => ((await holds(pid, targets)) ? [Number(pid)] : [])));
  return holding.flat().sort((a, b) => a - b);
}

async function holds(pid: string, targets: ReadonlySet<string>): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  for (const descriptor of await readNames(folder)) {
    try {
      if (targets.has(await readlink(`${folder}/${descriptor}`))) return true;
    } catch {
      // It was closed meanwhile, or its process has ended.
    }
  }
  return false;
}

async function readNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}
