import { setTimeout } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { CommitFailedError, type CommitQueue } from '../storage/commit-queue.js';
import type { SessionStore } from './store.js';

/** Sessions that one commit removes again. */
const SESSIONS_PER_REMOVAL = 20;
/** How long a removal that failed waits before it tries again; twice as long each time. */
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 8_000;

/**
 * The mark of an import that is not published. All its rows are written in short commits,
 * which share no transaction; the mark stands from the first one to the last, so that a
 * start which finds it knows that every row is of a half import, and removes them.
 */
export class ImportFlag {
  private readonly selectFlag;
  private readonly insertFlag;
  private readonly deleteFlag;

  constructor(database: Database) {
    this.selectFlag = database.prepare("SELECT 1 FROM session_counters WHERE name = 'import_in_progress'").pluck();
    this.insertFlag = database.prepare("INSERT INTO session_counters (name, value) VALUES ('import_in_progress', 1)");
    this.deleteFlag = database.prepare("DELETE FROM session_counters WHERE name = 'import_in_progress'");
  }

  get isSet(): boolean {
    return this.selectFlag.get() !== undefined;
  }

  set(): void {
    this.insertFlag.run();
  }

  clear(): void {
    this.deleteFlag.run();
  }
}

export interface RemovalParts {
  readonly store: SessionStore;
  readonly flag: ImportFlag;
  readonly commits: CommitQueue;
  /** Called when the ledger may be seen again. */
  readonly removed: () => void;
}

/**
 * Removes the rows of an import that is given up. The ledger stays hidden until all of them
 * are gone; what makes an import fail, a full disk above all, makes its removal fail as well,
 * and it is tried again until the store can be written, so that nobody has to start anew.
 */
export class ImportRemoval {
  private readonly stopping = new AbortController();

  constructor(private readonly parts: RemovalParts) {}

  /**
   * At a start, before anything is read: what an earlier daemon did not live to publish.
   * Where the mark stands still afterwards, it goes on by itself.
   */
  runAtStart(): void {
    const { commits, flag } = this.parts;
    while (flag.isSet) {
      const removal = { committed: false };
      commits
        .enqueue(
          () => this.removeSome(),
          () => (removal.committed = true),
        )
        .catch(() => undefined);
      commits.flush();
      if (removal.committed) continue;
      void this.retry();
      return;
    }
  }

  /** @throws CommitFailedError when it could not be done now; it goes on by itself then */
  async run(): Promise<void> {
    try {
      await this.removeAll();
    } catch (error) {
      void this.retry();
      throw error;
    }
  }

  /** The next start does what is left. */
  stop(): void {
    this.stopping.abort();
  }

  private async retry(): Promise<void> {
    const { signal } = this.stopping;
    for (let wait = FIRST_RETRY_MS; !signal.aborted; wait = Math.min(2 * wait, LAST_RETRY_MS)) {
      try {
        await setTimeout(wait, undefined, { signal, ref: false });
        await this.removeAll();
        return;
      } catch (error) {
        if (!(error instanceof CommitFailedError)) return;
      }
    }
  }

  private async removeAll(): Promise<void> {
    const { commits, flag, removed } = this.parts;
    while (flag.isSet) await commits.enqueue(() => this.removeSome());
    removed();
  }

  private removeSome(): void {
    const { store, flag } = this.parts;
    if (store.removeUnpublished(SESSIONS_PER_REMOVAL) === 0) flag.clear();
  }
}
