import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Whether somebody stopped the process (SIGSTOP, a debugger), so that it answers nobody. False for one that is gone. */
export async function isStopped(pid: number, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  try {
    return /^[Tt]/.test(platform === 'linux' ? await procState(pid) : await psState(pid));
  } catch {
    return false;
  }
}

async function procState(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2);
}

async function psState(pid: number): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]);
  return stdout.trim();
}
