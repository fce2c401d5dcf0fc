import { readFileSync } from 'node:fs';
import { isAlive } from './process-alive.js';

/** The process that says it holds a state folder's lock. */
export interface LockHolder {
  readonly pid: number;
}

/** Who holds the lock, by its own word, if that process lives; else null. */
export function livingLockHolder(path: string): LockHolder | null {
  let pid: unknown;
  try {
    pid = (JSON.parse(readFileSync(path, 'utf8')) as { pid?: unknown }).pid;
  } catch {
    // No file, or one that is being written: nobody who says so.
    return null;
  }
  return typeof pid === 'number' && Number.isInteger(pid) && pid > 0 && isAlive(pid) ? { pid } : null;
}
