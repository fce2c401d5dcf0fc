import type { Refusal } from '../protocol/runner/project-root.js';
import { refuse } from './request.js';

/** Thrown out of work that a signal ended. */
export class Ended extends Error {}

/** A signal that ends with the request or after `milliseconds` on the monotonic clock. */
export function boundedSignal(signal: AbortSignal, milliseconds: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
}

/** Whether a bounded signal was ended by its bound, not by the caller. */
export function isTimeout(signal: AbortSignal): boolean {
  return signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
}

/** The refusal for work that its signal ended: `timeout` or `cancelled`. */
export function endedRefusal(signal: AbortSignal, what: string): Refusal {
  return isTimeout(signal)
    ? refuse('timeout', `${what} did not end in time; ask for less at once, or try again.`)
    : refuse('cancelled', 'The call was cancelled.');
}

/**
 * Waits for `work`, but no longer than the signal: work that hangs in the file system
 * goes on unobserved, and its result is dropped.
 *
 * @throws Ended when the signal came first
 */
export async function untilEnded<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw new Ended();
  let stop = (): void => undefined;
  const ended = new Promise<never>((_, reject) => {
    stop = () => {
      reject(new Ended());
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
