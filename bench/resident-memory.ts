import { readFile } from 'node:fs/promises';
import { $ } from 'zx';

const SAMPLE_EVERY_MS = 100;

/** The resident memory of a process, in MB. */
export async function residentMegabytes(pid: number): Promise<number> {
  if (process.platform === 'linux') {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  }
  return Number((await $({ quiet: true })`ps -o rss= -p ${pid}`).stdout) / 1024;
}

/** The most that a process held while `work` ran, in MB, sampled. */
export async function peakMegabytes(pid: number, work: () => Promise<unknown>): Promise<number> {
  let peak = await residentMegabytes(pid);
  const sampler = setInterval(() => {
    void residentMegabytes(pid).then((now) => (peak = Math.max(peak, now)));
  }, SAMPLE_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(sampler);
  }
  return Math.max(peak, await residentMegabytes(pid));
}
