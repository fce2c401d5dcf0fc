/** How a wait for a change went. */
export interface Waited<Snapshot> {
  readonly snapshot: Snapshot;
  readonly outcome: 'immediate' | 'updated' | 'timeout';
  /** Milliseconds of the monotonic clock. */
  readonly waitedMs: number;
}

export interface AwaitParts<Snapshot> {
  /** Calls its argument after each change, until the returned function is called. */
  readonly listen: (wake: () => void) => () => void;
  readonly look: () => Snapshot;
  /** Whether a snapshot is what was waited for. */
  readonly isDone: (snapshot: Snapshot) => boolean;
  readonly waitMs: number;
  /** Each ends the wait early: nobody wants its answer any more, or the daemon stops. */
  readonly signals: readonly AbortSignal[];
  readonly monotonicMs: () => number;
}

/**
 * One bounded wait (spec 02 §A4). It listens before it looks for the first time, so that
 * nothing can happen in between; a wake is only a reason to look again, and the last look
 * is at the deadline. Nothing is held while it waits, and waiting costs no work.
 */
export async function awaitChange<Snapshot>(parts: AwaitParts<Snapshot>): Promise<Waited<Snapshot>> {
  const { look, isDone, signals, monotonicMs } = parts;
  const started = monotonicMs();
  const seen: { woken: boolean; over: boolean; wake: () => void } = { woken: false, over: false, wake: () => undefined };
  const ended = (): void => {
    seen.over = true;
    seen.wake();
  };
  const unlisten = parts.listen(() => {
    seen.woken = true;
    seen.wake();
  });
  const timer = setTimeout(ended, parts.waitMs);
  for (const signal of signals) signal.addEventListener('abort', ended);
  try {
    let snapshot = look();
    if (isDone(snapshot)) return { snapshot, outcome: 'immediate', waitedMs: 0 };
    seen.over ||= signals.some(({ aborted }) => aborted);
    for (;;) {
      // What came since the last look is looked at first; whatever ends the wait ends it after one more look.
      if (!seen.woken && !seen.over) await new Promise<void>((resolve) => (seen.wake = resolve));
      const last = seen.over;
      seen.woken = false;
      snapshot = look();
      const waitedMs = Math.round(monotonicMs() - started);
      if (isDone(snapshot)) return { snapshot, outcome: 'updated', waitedMs };
      if (last) return { snapshot, outcome: 'timeout', waitedMs };
    }
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', ended);
    unlisten();
  }
}
