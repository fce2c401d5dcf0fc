import type { CallRequest } from '../kernel/call-request.js';
import { handleCall, type Answer, type Kernel } from '../kernel/handle-call.js';
import type { CallsInFlight } from './calls-in-flight.js';

/** What runs calls, on whatever route they came. */
export interface CallRunner {
  readonly kernel: Kernel;
  readonly calls: CallsInFlight;
}

/**
 * Runs one call under its id, so that it can be cancelled and is waited for at the end.
 * `cancelled`, where given, is a cancel of the route's own kind.
 */
export async function runCall(
  { kernel, calls }: CallRunner,
  request: Omit<CallRequest, 'signal'>,
  cancelled: AbortController = new AbortController(),
): Promise<Answer> {
  let finished: () => void = () => undefined;
  calls.enter(request.callId, {
    principalKey: request.principal.principalKey,
    cancel: () => cancelled.abort(),
    done: new Promise((resolve) => (finished = resolve)),
  });
  try {
    return await handleCall(kernel, { ...request, signal: cancelled.signal });
  } finally {
    calls.leave(request.callId);
    // The answer is handed over in the turns after this one; whoever waits for the end waits for that too.
    setImmediate(finished);
  }
}
