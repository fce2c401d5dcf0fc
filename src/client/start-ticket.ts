import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { isAlive } from './process-alive.js';
import { isCode } from './state.js';

/** A ticket older than this is void, in milliseconds of the wall clock (its file's time). */
const TICKET_VALID_MS = 30_000;

/**
 * One client at a time starts a daemon; the others wait for it. This saves processes and
 * nothing more: two starts at once are harmless, since only one daemon gets the lock.
 */
export interface StartTicket {
  release(): void;
}

/** Takes the ticket at `path`, or returns null while a living client holds it. */
export function takeStartTicket(path: string, wallClock: () => number): StartTicket | null {
  try {
    return writeTicket(path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  }
  if (isHeld(path, wallClock)) return null;
  rmSync(path, { force: true });
  try {
    return writeTicket(path);
  } catch (error) {
    if (isCode(error, 'EEXIST')) return null;
    throw error;
  }
}

function writeTicket(path: string): StartTicket {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, String(process.pid));
  } finally {
    closeSync(file);
  }
  return { release: () => rmSync(path, { force: true }) };
}

function isHeld(path: string, wallClock: () => number): boolean {
  try {
    const age = wallClock() - statSync(path).mtimeMs;
    if (age < 0 || age > TICKET_VALID_MS) return false;
    const holder = readFileSync(path, 'utf8');
    // Created and not written yet: somebody is about to hold it.
    return holder === '' || isAlive(Number(holder));
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
}
