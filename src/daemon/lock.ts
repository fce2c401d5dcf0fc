import { readFileSync, writeFileSync } from 'node:fs';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { bindingProblem } from '../protocol/sqlite-binding.js';
import type { StatePaths } from '../protocol/state-folder.js';
import { StartRefused } from './state-folder.js';

/** Who owns a state folder, as the lock's holder wrote it down. */
export interface LockHolder {
  readonly pid: number;
  readonly version: string;
  readonly started_at: string;
}

/** The ownership of a state folder. */
export interface Lock {
  readonly release: () => void;
  /** Whether the last holder ended without releasing: its end was a crash. */
  readonly takenOverFromCrash: boolean;
}

/**
 * Takes the state folder for this process. The lock is SQLite's exclusive lock on a file
 * that nothing else in the daemon ever opens, so the kernel releases it with the process;
 * the holder's name stands in another file, since reading one's own lock file would drop
 * a POSIX lock.
 *
 * @throws StartRefused naming the living holder
 */
export function takeLock(paths: StatePaths, holder: LockHolder): Lock {
  const database = openLock(paths);
  try {
    database.pragma('journal_mode = MEMORY');
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw refusal(error, paths);
  }
  const previous = readHolder(paths);
  writeFileSync(paths.lockHolder, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  return { release: () => release(database, paths), takenOverFromCrash: previous !== null };
}

/** Who holds the folder now or held it last, or null when that was released in order. */
export function readHolder(paths: StatePaths): LockHolder | null {
  try {
    const text = readFileSync(paths.lockHolder, 'utf8').trim();
    return text === '' ? null : (JSON.parse(text) as LockHolder);
  } catch {
    // Nobody wrote it yet, or a crash cut it: either way there is no holder to name.
    return null;
  }
}

/** The first use of SQLite in a daemon's life: where its native part is missing, this is where it shows. */
function openLock(paths: StatePaths): Database {
  try {
    return new SqliteDatabase(paths.lock, { timeout: 0 });
  } catch (error) {
    const problem = bindingProblem(error);
    throw problem === null ? refusal(error, paths) : new StartRefused(`${problem.what}. ${problem.fix}`);
  }
}

function release(database: Database, paths: StatePaths): void {
  writeFileSync(paths.lockHolder, '', { mode: 0o600 });
  database.close();
}

function refusal(error: unknown, paths: StatePaths): Error {
  const code = (error as { code?: string }).code ?? '';
  if (!code.startsWith('SQLITE_BUSY') && !code.startsWith('SQLITE_LOCKED')) {
    return new StartRefused(
      `cannot lock the state folder ${paths.folder}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const holder = readHolder(paths);
  return new StartRefused(
    holder === null
      ? `another wc daemon is just taking ${paths.folder}`
      : `a wc daemon (pid ${holder.pid}, version ${holder.version}) already serves ${paths.folder}`,
  );
}
