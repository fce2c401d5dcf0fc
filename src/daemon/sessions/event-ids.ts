import type { EventId, PairId } from '../../protocol/ids.js';

const RANDOM_BYTES = 16;

/** `evt_` and 16 random bytes in lower hex. */
export function newEventId(randomBytes: (size: number) => Buffer): EventId {
  return `evt_${randomBytes(RANDOM_BYTES).toString('hex')}` as EventId;
}

/** `wc_call_` and 16 random bytes in lower hex. */
export function newPairId(randomBytes: (size: number) => Buffer): PairId {
  return `wc_call_${randomBytes(RANDOM_BYTES).toString('hex')}` as PairId;
}
