import { chmodSync } from 'node:fs';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { migrate, type DomainSchema } from './migrations.js';

/**
 * Opens a store of the daemon: WAL, private to the user, migrated forward.
 *
 * `synchronous = NORMAL` survives `kill -9` of the daemon, which is the promise; an
 * operating system crash may cost the last commits, never the store's consistency.
 *
 * @param busyTimeoutMs how long a statement waits, blocking, for another process's lock
 * @throws NewerStoreError when a newer version wrote the store
 */
export function openDatabase(path: string, schemas: readonly DomainSchema[], busyTimeoutMs = 5000): Database {
  const database = new SqliteDatabase(path, { timeout: busyTimeoutMs });
  try {
    chmodSync(path, 0o600);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma('foreign_keys = ON');
    // A reader that never ends must not let the write-ahead log grow without bound.
    database.pragma('journal_size_limit = 67108864');
    migrate(database, schemas);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
