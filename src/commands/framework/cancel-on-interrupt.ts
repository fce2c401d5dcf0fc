import { constants } from 'node:os';
import { EXIT } from '../../client/index.js';

const CANCELLING = ['SIGINT', 'SIGTERM'] as const;

/**
 * A signal that aborts when the person presses Ctrl-C (or the process is asked to end),
 * which cancels the call in the daemon. The second time ends this process at once.
 */
export function cancelOnInterrupt(): AbortSignal {
  const cancel = new AbortController();
  for (const name of CANCELLING) {
    process.on(name, () => {
      if (cancel.signal.aborted) process.exit(EXIT.signalBase + constants.signals[name]);
      cancel.abort(name);
    });
  }
  return cancel.signal;
}
