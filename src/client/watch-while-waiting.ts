import { setTimeout as delay } from 'node:timers/promises';
import { HEALTH_WITHIN_MS, probeHealth } from './health.js';

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
  /** Whether the daemon was asked how it is before the call; else it is asked for the first time soon. */
  readonly askedFirst: boolean;
}

/**
 * Watches the daemon while a call waits for its answer, which may rightly take hours.
 * Resolves with the reason when the daemon stays silent, and with null when `signal` ends
 * the watch. A daemon that is gone needs no watching: the connection breaks by itself.
 */
export async function watchWhileWaiting(parts: WatchParts): Promise<string | null> {
  if (!parts.askedFirst) {
    const reason = await firstQuestion(parts);
    if (reason !== null) return reason;
  }
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

/** The question that was left out before the call, with its bound; null when all is well or the watch was ended. */
async function firstQuestion({ socket, headers, signal }: WatchParts): Promise<string | null> {
  try {
    await delay(HEALTH_WITHIN_MS, undefined, { signal, ref: false });
  } catch {
    return null;
  }
  const probe = await probeHealth({ socketPath: socket(), headers });
  return probe.state === 'silent' && !signal.aborted ? probe.reason : null;
}
