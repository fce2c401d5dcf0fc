import { readFileSync } from 'node:fs';

/** Whether a process of this pid runs. One that ended and was not yet reaped does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' && !isZombie(pid);
  }
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The state follows the program's name, which may hold anything but ends at the last bracket.
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    // No such file system (macOS), where the platform's launchd reaps.
    return false;
  }
}
