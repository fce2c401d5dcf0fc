import type { SessionEvent } from './event-row.js';

/**
 * The finished calls of ONE Session, each counted once (spec 01 §3). When a Session is
 * the recorder and the target of the same call it holds two pairs of it; exactly one
 * `recorder` and one `business` finish of equal tool and status with different call ids
 * collapse to the business one. Any other shape keeps all, and so do events without
 * correlation; the order is the ledger's.
 *
 * Apply it to the whole tail before slicing at an attempt boundary, or half of a pair is lost.
 */
export function canonicalFinishedEvents<Event extends FinishedFacts>(events: readonly Event[]): Event[] {
  const finished = events.filter((event) => event.kind === 'tool_call_finished');
  const invocations = new Map<string, Event[]>();
  for (const event of finished) {
    if (event.logical_invocation_id === undefined) continue;
    const group = invocations.get(event.logical_invocation_id);
    if (group === undefined) invocations.set(event.logical_invocation_id, [event]);
    else group.push(event);
  }
  return finished.filter((event) => {
    if (event.logical_invocation_role !== 'recorder' || event.logical_invocation_id === undefined) return true;
    return !isOneCall(invocations.get(event.logical_invocation_id) ?? []);
  });
}

type FinishedFacts = Pick<SessionEvent, 'kind' | 'tool_name'> &
  Partial<Pick<SessionEvent, 'status' | 'call_id' | 'logical_invocation_id' | 'logical_invocation_role'>>;

function isOneCall(group: readonly FinishedFacts[]): boolean {
  const [one, other] = group;
  if (group.length !== 2 || one === undefined || other === undefined) return false;
  return (
    one.logical_invocation_role !== other.logical_invocation_role &&
    one.tool_name === other.tool_name &&
    one.status === other.status &&
    one.call_id !== undefined &&
    other.call_id !== undefined &&
    one.call_id !== other.call_id
  );
}
