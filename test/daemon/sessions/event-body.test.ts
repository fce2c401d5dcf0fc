import { describe, expect, it } from 'vitest';
import { checkCounted, checkEvent, encodeEvent, type EventBody } from '../../../src/daemon/sessions/event-body.js';
import { eventRow, type SessionEvent } from '../../../src/daemon/sessions/event-row.js';
import type { SessionId } from '../../../src/protocol/ids.js';
import { rawEvent, sessionId } from '../ledger-document/document-fixture.js';

const SESSION = sessionId(0) as SessionId;
const EVENT: SessionEvent = eventRow.parse({ ...rawEvent(1), session_id: SESSION, changed_paths: ['src/a.ts'] });
const ROW = encodeEvent(EVENT);

/** The row with members of its body changed; undefined takes one away. */
function rowWith(changes: Readonly<Record<string, unknown>>, kind: string = ROW.kind): EventBody {
  return { kind: kind as EventBody['kind'], body: JSON.stringify({ ...(JSON.parse(ROW.body) as object), ...changes }) };
}

describe('an event of a row that nobody vouches for', () => {
  it('comes back as it was written, with all that its body leaves unsaid', () => {
    expect(checkEvent(SESSION, ROW)).toEqual(EVENT);
    expect(eventRow.safeParse(checkEvent(SESSION, ROW)).success).toBe(true);
  });

  it.each(['event_id', 'timestamp', 'transport', 'tool_name', 'risk_class'])('is refused without %s', (name) => {
    expect(() => checkCounted(SESSION, rowWith({ [name]: undefined }))).toThrow('cannot be read');
  });

  it.each([
    ['an unknown member', { command: 'rm -rf /' }],
    ['a number for a flag', { read_like: 1 }],
    ['null for a required text', { tool_name: null }],
    ['an id of another form', { event_id: 'evt_1' }],
    ['a status outside its set', { status: 'maybe' }],
    ['half a correlation', { logical_invocation_id: `wc_inv_${'0'.repeat(32)}`, logical_invocation_role: undefined }],
    ['another Session', { session_id: sessionId(7) }],
    ['a closed member with one too many', { effect_evidence: { state_changed: true, extra: 1 } }],
    ['too many paths', { changed_paths: Array<string>(9).fill('a') }],
  ])('is refused with %s', (_what, changes) => {
    expect(() => checkCounted(SESSION, rowWith(changes))).toThrow('cannot be read');
  });

  it.each(['null', '7', '"text"', '[]', '{', '{}'])('is refused when its body is %s', (body) => {
    expect(() => checkCounted(SESSION, { ...ROW, body })).toThrow('cannot be read');
  });

  it('is refused when it is of no kind', () => {
    expect(() => checkCounted(SESSION, rowWith({}, 'shrug'))).toThrow('cannot be read');
  });
});
