/** The part of the daemon's log that the audit writes to. */
export interface AuditLog {
  readonly warn: (facts: object, message: string) => void;
  readonly info: (facts: object, message: string) => void;
}

/**
 * Rows that could not be kept: counted always, told once for each streak, and never a
 * call's business (spec 05 §9).
 */
export class Losses {
  /** Since the daemon started. */
  total = 0;
  /** Why rows are being lost now; null while they are written. */
  reason: string | null = null;
  private inStreak = 0;

  constructor(private readonly log: AuditLog) {}

  lost(rows: number, cause: unknown): void {
    this.total += rows;
    this.inStreak += rows;
    if (this.reason !== null) return;
    this.reason = cause instanceof Error ? cause.message : String(cause);
    this.log.warn({ reason: this.reason }, 'audit rows are being lost; calls are not affected');
  }

  written(): void {
    if (this.reason === null) return;
    this.log.info({ lost: this.inStreak }, 'audit rows are written again');
    this.reason = null;
    this.inStreak = 0;
  }
}
