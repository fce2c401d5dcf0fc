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

/** How long after taking the lock a daemon counts as beginning, in milliseconds. */
const BEGINS_FOR_MS = 10_000;

/** Whether the lock's holder took it only just before `nowMs`, by its own word. */
export function hasJustBegun(path: string, nowMs: number): boolean {
  try {
    const { started_at: startedAt } = JSON.parse(readFileSync(path, 'utf8')) as { started_at?: unknown };
    const sinceMs = typeof startedAt === 'string' ? nowMs - Date.parse(startedAt) : NaN;
    return sinceMs >= 0 && sinceMs < BEGINS_FOR_MS;
  } catch {
    return false; // nobody holds it, or it is being written
  }
}
