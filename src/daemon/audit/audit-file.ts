import { statSync } from 'node:fs';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { openDatabase } from '../storage/open-database.js';
import { AUDIT_SCHEMA } from './schema.js';
import { AuditStore } from './store.js';

/** How long a first statement waits for another process's lock; it blocks the whole daemon meanwhile. */
const BUSY_TIMEOUT_MS = 250;
/** How often a store that cannot be used is looked at again. */
const RETRY_AFTER_MS = 1_000;
/** How often it is made sure that the file is still the one that was opened. */
const IDENTITY_CHECK_MS = 1_000;
/**
 * Checkpoints are the worker's business, since they wait for the disk. Where it does none,
 * the log is written back here before it passes 32 MiB.
 */
const BACKSTOP_CHECKPOINT_PAGES = 8_192;

/** Failures after which the connection itself is of no more use. */
const BROKEN_CONNECTION = /^SQLITE_(?:CORRUPT|NOTADB|IOERR|CANTOPEN|READONLY)/;

/** The store cannot be opened now; the next try is at most a second away. */
export class AuditStoreUnavailableError extends Error {
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'AuditStoreUnavailableError';
  }
}

interface OpenFile {
  readonly database: Database;
  readonly store: AuditStore;
  readonly identity: string | null;
}

export interface AuditFileDeps {
  readonly path: string;
  readonly monotonicMs: () => number;
  readonly newSessionId: () => string;
  /** Whether our own maintenance holds the lock now and then: nothing waits for it, the rows do. */
  readonly lockIsOurs: () => boolean;
}

/**
 * The daemon's own connection to `audit.db`. It opens the file when it is first needed,
 * lets go of it when it is broken or was taken away, and tries again by itself. A lock
 * that somebody else holds costs one wait; until it is gone, nothing waits for it again.
 */
export class AuditFile {
  private open: OpenFile | null = null;
  private retryAt = -Infinity;
  private identityCheckAt = -Infinity;
  private lastFailure: unknown = null;
  private waitsForLocks = true;

  constructor(private readonly deps: AuditFileDeps) {}

  /**
   * Runs `work` on the store.
   *
   * @throws AuditStoreUnavailableError when there is no store now, else what SQLite throws
   */
  use<Result>(work: (store: AuditStore) => Result): Result {
    const { database, store } = this.opened();
    if (this.deps.lockIsOurs()) this.waitForLocks(database, false);
    try {
      const result = work(store);
      this.waitForLocks(database, true);
      return result;
    } catch (error) {
      this.noteFailure(database, error);
      throw error;
    }
  }

  /** @throws AuditStoreUnavailableError when there is no store now */
  ensureOpen(): void {
    this.opened();
  }

  close(): void {
    const { open } = this;
    this.open = null;
    try {
      open?.database.close();
    } catch {
      // A broken file has nothing left that a clean close could keep.
    }
  }

  private opened(): OpenFile {
    const now = this.deps.monotonicMs();
    if (this.open !== null && now >= this.identityCheckAt) {
      this.identityCheckAt = now + IDENTITY_CHECK_MS;
      if (this.open.identity !== fileIdentity(this.deps.path)) this.close();
    }
    if (this.open !== null) return this.open;
    if (now < this.retryAt) throw new AuditStoreUnavailableError(this.deps.path, this.lastFailure);
    try {
      this.open = this.openFile();
      this.identityCheckAt = now + IDENTITY_CHECK_MS;
      return this.open;
    } catch (error) {
      this.lastFailure = error;
      this.retryAt = now + RETRY_AFTER_MS;
      this.waitsForLocks = false;
      throw new AuditStoreUnavailableError(this.deps.path, error);
    }
  }

  private openFile(): OpenFile {
    const database = openDatabase(this.deps.path, [AUDIT_SCHEMA], this.waitsForLocks ? BUSY_TIMEOUT_MS : 0);
    database.pragma(`wal_autocheckpoint = ${BACKSTOP_CHECKPOINT_PAGES}`);
    return {
      database,
      store: new AuditStore(database, this.deps.newSessionId),
      identity: fileIdentity(this.deps.path),
    };
  }

  private noteFailure(database: Database, error: unknown): void {
    if (!(error instanceof SqliteDatabase.SqliteError)) return;
    if (error.code.startsWith('SQLITE_BUSY')) this.waitForLocks(database, false);
    if (BROKEN_CONNECTION.test(error.code)) {
      this.lastFailure = error;
      this.retryAt = this.deps.monotonicMs() + RETRY_AFTER_MS;
      this.close();
    }
  }

  private waitForLocks(database: Database, wait: boolean): void {
    if (this.waitsForLocks === wait) return;
    this.waitsForLocks = wait;
    database.pragma(`busy_timeout = ${wait ? BUSY_TIMEOUT_MS : 0}`);
  }
}

/** Which file stands at `path`; null when there is none. */
function fileIdentity(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
}
