import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import type { AuditFile } from './audit-file.js';
import type { AuditWrite } from './event-row.js';
import type { Losses } from './losses.js';

/** Rows that wait at most; what comes on top is lost and counted (spec 05 §9). */
const CAPACITY = 1_000;
/** Rows of one transaction: few enough that no call waits noticeably for them. */
const BATCH_ROWS = 32;
/** How long a row may wait for others to share its transaction. */
const GATHER_MS = 50;

/** How soon rows that wait for our own maintenance are tried again. */
const RETRY_MS = 5;

/** Makes a row; it runs after the answer was handed over. */
export type RowMaker = () => AuditWrite;

/** Rows on their way to the store: first in, first out, written after the answers they are about. */
export class WriteQueue {
  private waiting: RowMaker[] = [];
  private timer: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(
    private readonly file: Pick<AuditFile, 'use'>,
    private readonly losses: Losses,
    private readonly onWritten: (rows: number) => void,
    /** Whether our own maintenance holds the lock now and then: rows wait for it then, and are not lost. */
    private readonly lockIsOurs: () => boolean = () => false,
  ) {}

  get length(): number {
    return this.waiting.length;
  }

  /** Never throws, never waits. */
  push(make: RowMaker): void {
    if (this.closed || this.waiting.length >= CAPACITY) {
      this.losses.lost(1, new Error(this.closed ? 'the daemon is ending' : 'too many audit rows are waiting'));
      return;
    }
    this.waiting.push(make);
    if (this.waiting.length === 1) this.timer = setTimeout(() => void this.drain(), GATHER_MS);
    else if (this.waiting.length === BATCH_ROWS) void this.drain();
  }

  /** Settles when every row that was pushed before is written or lost; other work goes on in between. */
  async drain(): Promise<void> {
    this.stopTimer();
    for (let left = this.waiting.length; left > 0 && this.waiting.length > 0; ) {
      await nextTurn();
      if (this.writeBatch()) left -= BATCH_ROWS;
      else await pause(RETRY_MS);
    }
    if (this.waiting.length > 0 && this.timer === null) this.timer = setTimeout(() => void this.drain(), GATHER_MS);
  }

  /** Writes whatever waits, at once; nothing is taken any more. */
  close(): void {
    this.closed = true;
    this.stopTimer();
    while (this.waiting.length > 0) this.writeBatch();
  }

  private stopTimer(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  /** Whether the batch is done with; false when it was put back to wait for a lock of ours. */
  private writeBatch(): boolean {
    const rows = this.waiting.splice(0, BATCH_ROWS).flatMap((make) => this.made(make));
    if (rows.length === 0) return true;
    const failed = this.attempt(rows);
    if (failed === null) return true;
    if (!this.closed && isLocked(failed) && this.lockIsOurs()) {
      this.waiting.unshift(...rows.map((row) => () => row));
      return false;
    }
    if (rows.length > 1 && isAboutOneRow(failed)) {
      for (const row of rows) this.attemptAlone(row);
    } else {
      this.losses.lost(rows.length, failed);
    }
    return true;
  }

  private made(make: RowMaker): readonly AuditWrite[] {
    try {
      return [make()];
    } catch (error) {
      this.losses.lost(1, error);
      return [];
    }
  }

  private attemptAlone(row: AuditWrite): void {
    const failed = this.attempt([row]);
    if (failed !== null) this.losses.lost(1, failed);
  }

  /** The failure, or null when the rows are in the store. */
  private attempt(rows: readonly AuditWrite[]): Error | null {
    try {
      this.file.use((store) => store.append(rows));
      this.losses.written();
      this.onWritten(rows.length);
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

function isLocked(error: Error): boolean {
  return error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** Whether a failure is one row's fault, so that the others may still be written. */
function isAboutOneRow(error: Error): boolean {
  if (error instanceof SqliteDatabase.SqliteError) return /^SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG)/.test(error.code);
  return error instanceof TypeError || error instanceof RangeError;
}
