import type { Failure } from '../../protocol/tool-result.js';

/**
 * A step's refusal on its way to the end of the call. It is thrown by steps and
 * caught by `handleCall` alone; what it carries is the answer.
 */
export class CallRefused extends Error {
  constructor(readonly failure: Failure) {
    super(failure.error);
    this.name = 'CallRefused';
  }
}

/** Ends the call with `failure`. */
export function refuseCall(failure: Failure): never {
  throw new CallRefused(failure);
}
