/** What decides whether a Runner without a daemon may end (DESIGN §1). */
export interface IdleInputs {
  readonly daemonConnected: boolean;
  /** Jobs that are not over, and open shells. */
  readonly active: number;
  /** Monotonic milliseconds. */
  readonly now: number;
}

/** How long a Runner that no daemon uses stays after its last Job or shell, in milliseconds. */
export const IDLE_END_MS = 10 * 60 * 1000;

/**
 * Says when a Runner has been without a daemon, without a Job and without a shell for
 * `idleEndMs`. It is asked again and again; any activity starts the time anew.
 */
export class IdleEnd {
  private idleSince: number | null = null;

  constructor(private readonly idleEndMs: number) {}

  /** Whether the Runner should end now. */
  isDue({ daemonConnected, active, now }: IdleInputs): boolean {
    if (daemonConnected || active > 0) {
      this.idleSince = null;
      return false;
    }
    this.idleSince ??= now;
    return now - this.idleSince >= this.idleEndMs;
  }
}
