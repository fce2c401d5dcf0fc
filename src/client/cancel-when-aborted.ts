import { setTimeout as delay } from 'node:timers/promises';
import { ClientError } from './client-error.js';

/** How long a cancelled call may take to give its answer, in milliseconds (a tree is ended within 1 s). */
const CANCELLED_WITHIN_MS = 10_000;
/** A call that the daemon does not know yet is on its way to it. */
const ASK_AGAIN_MS = 50;

export interface Cancellation {
  /** Resolves when the cancelled call gave no answer within its bound. */
  readonly givenUp: Promise<ClientError>;
  /** The call is over. */
  dispose(): void;
}

/**
 * Has a call cancelled in the daemon when `signal` aborts; the call then answers by
 * itself, or not at all.
 *
 * @param cancel asks the daemon once; false while it does not know the call
 */
export function cancelWhenAborted(signal: AbortSignal, cancel: () => Promise<boolean>): Cancellation {
  const over = new AbortController();
  const givenUp = whenAborted(signal, over.signal).then(async () => {
    const bound = delay(CANCELLED_WITHIN_MS, undefined, { signal: over.signal });
    // A cancel that can not be sent is answered by the bound.
    askUntilKnown(cancel, over.signal).catch(() => undefined);
    await bound;
    return new ClientError(
      'cancel_unanswered',
      `The call was cancelled and gave no answer within ${CANCELLED_WITHIN_MS / 1000} s.`,
      'Look at `wc job list` for work that goes on.',
    );
  });
  // Over before its bound: nobody waits for it any more.
  givenUp.catch(() => undefined);
  return { givenUp, dispose: () => over.abort() };
}

function whenAborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true, signal: over });
  });
}

async function askUntilKnown(cancel: () => Promise<boolean>, over: AbortSignal): Promise<void> {
  while (!over.aborted && !(await cancel())) await delay(ASK_AGAIN_MS, undefined, { signal: over });
}
