import { setTimeout as delay } from 'node:timers/promises';
import { probeHealth } from './health.js';

/** How long a call may be silent before its daemon is asked how it is, in milliseconds. */
const ASK_EVERY_MS = 10_000;
/** How long each such question may stay open: more than the first one, since the machine may be busy. */
const ANSWER_WITHIN_MS = 10_000;
/** So many questions in a row without an answer mean that the daemon is stopped. */
const GIVE_UP_AFTER = 3;

export interface WatchParts {
  readonly socket: () => string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/**
 * Watches the daemon while a call waits for its answer, which may rightly take hours.
 * Resolves with the reason when the daemon stays silent, and with null when `signal` ends
 * the watch. A daemon that is gone needs no watching: the connection breaks by itself.
 */
export async function watchWhileWaiting(parts: WatchParts): Promise<string | null> {
  let silent = 0;
  for (;;) {
    try {
      await delay(ASK_EVERY_MS, undefined, { signal: parts.signal, ref: false });
    } catch {
      return null;
    }
    const probe = await probeHealth({ socketPath: parts.socket(), headers: parts.headers, within: ANSWER_WITHIN_MS });
    if (parts.signal.aborted) return null;
    silent = probe.state === 'silent' ? silent + 1 : 0;
    if (probe.state === 'silent' && silent >= GIVE_UP_AFTER) return probe.reason;
  }
}
