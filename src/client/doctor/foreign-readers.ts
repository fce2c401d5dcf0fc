import { readdir, readFile, readlink, realpath } from 'node:fs/promises';

/** A process that has a store open and is not the daemon. */
export interface ForeignReader {
  readonly pid: number;
  readonly program: string;
}

/**
 * Who else has one of these files open, as far as this user may see. Nobody on systems that
 * do not show it as files (macOS).
 */
export async function foreignReaders(paths: readonly string[], daemonPid: number | null): Promise<readonly ForeignReader[]> {
  const wanted = new Set(await Promise.all(paths.map((path) => realpath(path).catch(() => path))));
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter((pid) => pid > 0 && pid !== daemonPid && pid !== process.pid);
  const found = await Promise.all(pids.map(async (pid) => ((await opens(pid, wanted)) ? { pid, program: await programOf(pid) } : null)));
  return found.filter((reader) => reader !== null);
}

async function opens(pid: number, wanted: ReadonlySet<string>): Promise<boolean> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  for (const descriptor of descriptors) {
    if (wanted.has(await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => ''))) return true;
  }
  return false;
}

async function programOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => 'a process')).trim();
}
