import { encodeEvent } from './event-body.js';
import { eventDigest, type Digest, type EventChain } from './event-chain.js';
import type { SessionEvent } from './event-row.js';
import type { SessionHead } from './session-head.js';
import type { SessionStore } from './store.js';
import { appended } from './tail-bounds.js';

/**
 * Appends events to a Session's tail, chains them, and evicts what is over the bound: the
 * digest of the last evicted one becomes the anchor of the rest. It runs inside a commit
 * and leaves the Session's row to its caller.
 *
 * @returns the head's members that changed
 */
export function appendEvents(
  store: SessionStore,
  head: SessionHead & { readonly chain: EventChain },
  events: readonly SessionEvent[],
  eventsPerSession: number,
): Pick<SessionHead, 'eventsObserved' | 'firstRetainedSequence' | 'chain'> {
  let { eventsObserved, firstRetainedSequence } = head;
  let newest: Digest = head.chain.head;
  for (const event of events) {
    const body = encodeEvent(event);
    newest = eventDigest(newest, head.sessionId, eventsObserved, body);
    store.appendEvent(head, eventsObserved, body, newest);
    ({ eventsObserved, firstRetainedSequence } = appended({ eventsObserved, firstRetainedSequence }, eventsPerSession));
  }
  if (firstRetainedSequence === head.firstRetainedSequence) {
    return { eventsObserved, firstRetainedSequence, chain: { ...head.chain, head: newest } };
  }
  const anchor = store.digest(head, firstRetainedSequence - 1);
  if (anchor === null) throw new Error(`the event before ${firstRetainedSequence} of ${head.sessionId} has no digest`);
  store.evictBefore(head, firstRetainedSequence);
  return { eventsObserved, firstRetainedSequence, chain: { ...head.chain, anchor, head: newest } };
}
