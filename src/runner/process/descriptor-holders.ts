import { readdir, readlink } from 'node:fs/promises';

/**
 * Which processes hold one of some files open, by what `/proc` says that their descriptors
 * lead to. Known only on Linux, and only of processes of this user; elsewhere nobody is named.
 *
 * @param targets as descriptors name them: `socket:[123]`, `/path (deleted)`
 * @param among the processes to look at; all of the machine unless they are given
 */
export async function holdersOf(targets: ReadonlySet<string>, among?: readonly number[]): Promise<number[]> {
  const pids = among ?? (await readNames('/proc')).filter((name) => /^[0-9]+$/.test(name)).map(Number);
  const holding = await Promise.all(pids.map(async (pid) => ((await holds(pid, targets)) ? [pid] : [])));
  return holding.flat().sort((a, b) => a - b);
}

async function holds(pid: number, targets: ReadonlySet<string>): Promise<boolean> {
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
