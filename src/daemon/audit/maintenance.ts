import type { AuditLog } from './losses.js';
import type { WorkerClient } from './worker-client.js';

/** What an operator may set (spec 00, decision 57). */
export interface AuditRetention {
  readonly days: number;
  readonly maxRows: number;
}

/** Rows after which the log is written back: about 10 MiB of it. */
const CHECKPOINT_ROWS = 250;
/** Rows after which retention looks again, however long ago it last did. */
const RETENTION_ROWS = 10_000;
const FIRST_RETENTION_MS = 60_000;
const RETENTION_EVERY_MS = 60 * 60_000;
const DAY_SECS = 86_400;

export interface MaintenanceDeps {
  readonly worker: WorkerClient;
  readonly retention: AuditRetention;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: AuditLog;
}

/** Keeps the store small and its log short, in the worker thread, where no call waits for it. */
export class Maintenance {
  private sinceCheckpoint = 0;
  private sinceRetention = 0;
  private readonly first: NodeJS.Timeout;
  private readonly timer: NodeJS.Timeout;
  private readonly running = new Set<string>();
  private readonly failing = new Set<string>();
  private closed = false;

  constructor(private readonly deps: MaintenanceDeps) {
    this.first = setTimeout(() => void this.retain(), FIRST_RETENTION_MS);
    this.timer = setInterval(() => void this.retain(), RETENTION_EVERY_MS);
    this.first.unref();
    this.timer.unref();
  }

  /** Whether the worker deletes old rows, and so has the lock for some milliseconds at a time. */
  get isRetaining(): boolean {
    return !this.closed && this.running.has('retention');
  }

  rowsWritten(rows: number): void {
    this.sinceCheckpoint += rows;
    this.sinceRetention += rows;
    if (this.sinceCheckpoint >= CHECKPOINT_ROWS) void this.checkpoint();
    if (this.sinceRetention >= RETENTION_ROWS) void this.retain();
  }

  checkpoint(): Promise<void> {
    return this.once('checkpoint', async () => {
      this.sinceCheckpoint = 0;
      await this.deps.worker.checkpoint();
    });
  }

  retain(): Promise<void> {
    return this.once('retention', async () => {
      this.sinceRetention = 0;
      const { days, maxRows } = this.deps.retention;
      const before = Math.floor(this.deps.now() / 1000) - days * DAY_SECS;
      const removed = await this.deps.worker.retain({ before, maxRows });
      if (removed.events + removed.sessions > 0) this.deps.log.info(removed, 'old audit rows were removed');
    });
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.first);
    clearInterval(this.timer);
  }

  /** One run of a kind at a time; a failed one is tried again at its next turn, and told once for each streak. */
  private async once(task: string, run: () => Promise<void>): Promise<void> {
    if (this.running.has(task)) return;
    this.running.add(task);
    try {
      await run();
      this.failing.delete(task);
    } catch (error) {
      if (!this.closed && !this.failing.has(task)) this.tell(task, error);
      this.failing.add(task);
    } finally {
      this.running.delete(task);
    }
  }

  private tell(task: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.deps.log.warn({ task, reason }, 'audit maintenance failed; it will be tried again');
  }
}
