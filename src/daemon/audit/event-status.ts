import { errorKindOf } from '../../protocol/tool-result.js';
import type { CallRecord } from '../kernel/ports.js';

/** How an event counts in its session (spec 05 §2); the finer outcome stands in `summary.outcome`. */
export type EventStatus = 'success' | 'failed' | 'timeout' | 'unknown';

const REQUEST_TIMEOUT = 408;

/** A call that outlived the hard bound may have done its work: that is unknown, not failed. */
export function eventStatus(call: Pick<CallRecord, 'outcome' | 'result' | 'httpStatus'>): EventStatus {
  if (errorKindOf(call.result) === 'dispatch_hard_timeout') return 'unknown';
  if (call.outcome === 'timed_out' || call.httpStatus === REQUEST_TIMEOUT) return 'timeout';
  return call.outcome === 'success' ? 'success' : 'failed';
}
