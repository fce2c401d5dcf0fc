import type { Database } from 'better-sqlite3';

/** The store could not keep a commit; nothing of it is visible. */
export class CommitFailedError extends Error {
  constructor(cause: unknown) {
    super(`the ledger could not be written: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.name = 'CommitFailedError';
  }
}

interface Pending {
  readonly write: () => void;
  readonly committed: (() => void) | undefined;
  readonly settle: (error: CommitFailedError | null) => void;
}

/**
 * The one way that durable domains write: works queued in one turn of the event loop
 * share one transaction, and each caller's promise settles after the commit that
 * holds its work. A work that throws is undone alone; a commit that fails undoes all
 * of its works and tells each of them.
 *
 * Works run one after another inside the transaction, so that what a work reads cannot
 * change before it writes. Memory that mirrors rows is changed in `committed`, which runs
 * in the same turn as the commit: nobody ever sees the one without the other.
 */
export class CommitQueue {
  private pending: Pending[] = [];
  private scheduled = false;
  private begun = 0;
  private open = false;
  private readonly begin;
  private readonly commit;
  private readonly rollback;
  private readonly savepoint;
  private readonly release;
  private readonly rollbackToSavepoint;

  /** Why the last commit failed, until one succeeds. */
  lastError: string | null = null;

  constructor(private readonly database: Database) {
    this.begin = database.prepare('BEGIN IMMEDIATE');
    this.commit = database.prepare('COMMIT');
    this.rollback = database.prepare('ROLLBACK');
    this.savepoint = database.prepare('SAVEPOINT work');
    this.release = database.prepare('RELEASE work');
    this.rollbackToSavepoint = database.prepare('ROLLBACK TO work');
  }

  /** Which commit the running work belongs to; null outside of works. What one work of a commit wrote, the next ones may rely on. */
  get current(): number | null {
    return this.open ? this.begun : null;
  }

  /**
   * Queues `write`; the promise settles after its commit, or rejects with CommitFailedError.
   *
   * @param committed brings memory up to date right after the commit; it must not throw
   */
  enqueue(write: () => void, committed?: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.pending.push({ write, committed, settle: (error) => (error === null ? resolve() : reject(error)) });
      if (!this.scheduled) {
        this.scheduled = true;
        setImmediate(() => this.flush());
      }
    });
  }

  /** Commits whatever is queued, now. */
  flush(): void {
    this.scheduled = false;
    if (this.pending.length === 0) return;
    const works = this.pending;
    this.pending = [];
    const failures = new Map<Pending, CommitFailedError>();
    try {
      this.begin.run();
      this.begun += 1;
      this.open = true;
      for (const work of works) this.runAlone(work, failures);
      this.open = false;
      this.commit.run();
      this.lastError = null;
    } catch (error) {
      this.open = false;
      if (this.database.inTransaction) this.rollback.run();
      const failed = new CommitFailedError(error);
      this.lastError = failed.message;
      for (const work of works) work.settle(failed);
      return;
    }
    for (const work of works) {
      const failed = failures.get(work) ?? null;
      if (failed === null) work.committed?.();
      work.settle(failed);
    }
  }

  private runAlone(work: Pending, failures: Map<Pending, CommitFailedError>): void {
    this.savepoint.run();
    try {
      work.write();
      this.release.run();
    } catch (error) {
      // SQLite ends the whole transaction by itself on a full disk or an I/O error.
      if (!this.database.inTransaction) throw error;
      this.rollbackToSavepoint.run();
      this.release.run();
      failures.set(work, new CommitFailedError(error));
    }
  }
}
