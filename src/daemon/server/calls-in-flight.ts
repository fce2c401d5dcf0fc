import type { CallId } from '../../protocol/ids.js';
import { TransportRefusal } from './transport-error.js';

/** One call under way, as cancelling and stopping need it. */
export interface CallInFlight {
  /** Whose call it is: only the same principal may cancel it. */
  readonly principalKey: string;
  readonly cancel: () => void;
  readonly done: Promise<void>;
}

/** How many calls may be under way at once: far above honest use, below what hurts. */
const MAX_IN_FLIGHT = 512;

/** The calls under way, by their callers' own ids. */
export class CallsInFlight {
  private readonly calls = new Map<CallId, CallInFlight>();

  get count(): number {
    return this.calls.size;
  }

  /**
   * @throws TransportRefusal when too many calls are under way, or when the id is in use
   */
  enter(callId: CallId, call: CallInFlight): void {
    if (this.calls.size >= MAX_IN_FLIGHT) {
      throw new TransportRefusal(
        'too_many_in_flight',
        `${MAX_IN_FLIGHT} calls are under way`,
        'wait until some have ended, then try again',
      );
    }
    if (this.calls.has(callId)) {
      throw new TransportRefusal('malformed_request', 'a call with this id is under way', 'give each call its own UUID');
    }
    this.calls.set(callId, call);
  }

  leave(callId: CallId): void {
    this.calls.delete(callId);
  }

  /** Cancels a call of the same principal; false when there is none (a foreign one looks the same). */
  cancel(callId: CallId, principalKey: string): boolean {
    const call = this.calls.get(callId);
    if (call === undefined || call.principalKey !== principalKey) return false;
    call.cancel();
    return true;
  }

  /** Settles when every call that is under way now has been answered, or after `boundMs`. */
  async drained(boundMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), boundMs);
    });
    const all = Promise.all([...this.calls.values()].map((call) => call.done)).then(() => true);
    try {
      return await Promise.race([all, bound]);
    } finally {
      clearTimeout(timer);
    }
  }
}
