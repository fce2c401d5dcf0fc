import { z } from 'zod';
import type { SessionId } from '../../../protocol/ids.js';
import { eventRow, type SessionEvent } from '../event-row.js';
import { boundEventText } from './restore-event-text.js';
import { placeOf, RowRefused, type RestoreNote } from './restore-notes.js';

const EVENT_ID = /^evt_[0-9a-f]{32}$/;

/**
 * An event in a document: a bad id or another Session's costs the event alone, whatever
 * else breaks the shape costs the Session. `context_revision` is retired: accepted, ignored.
 */
const eventInDocument = eventRow.safeExtend({
  event_id: z.string(),
  session_id: z.string(),
  context_revision: z.unknown().optional(),
});

/**
 * The events of a Session row (spec 01 §4), the newest `limit` of those that belong to it.
 *
 * @throws RowRefused when one breaks the closed shape or has half a correlation
 */
export function restoreEvents(
  raw: readonly unknown[],
  sessionId: SessionId,
  limit: number,
): { readonly events: readonly SessionEvent[]; readonly notes: readonly RestoreNote[] } {
  const notes: RestoreNote[] = [];
  const events: SessionEvent[] = [];
  for (const [index, value] of raw.entries()) {
    const event = restoreEvent(value, index, sessionId, notes);
    if (event !== null) events.push(event);
  }
  const excess = Math.max(0, events.length - limit);
  if (excess > 0) notes.push({ reason: 'beyond_event_limit', at: 'events' });
  return { events: excess > 0 ? events.slice(excess) : events, notes };
}

function restoreEvent(raw: unknown, index: number, sessionId: SessionId, notes: RestoreNote[]): SessionEvent | null {
  const at = `events[${index}]`;
  const parsed = eventInDocument.safeParse(raw);
  if (!parsed.success) {
    throw new RowRefused({ reason: 'malformed_event', at: placeOf(parsed.error.issues[0]?.path ?? [], at) });
  }
  const { context_revision: _retired, ...event } = parsed.data;
  if (event.session_id !== sessionId) {
    notes.push({ reason: 'foreign_session_id', at });
    return null;
  }
  if (!EVENT_ID.test(event.event_id)) {
    notes.push({ reason: 'bad_event_id', at });
    return null;
  }
  const bounded = boundEventText(event);
  if (bounded !== event) notes.push({ reason: 'text_bounded_or_redacted', at });
  return bounded;
}
