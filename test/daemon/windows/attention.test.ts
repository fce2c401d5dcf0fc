import { describe, expect, it } from 'vitest';
import type { CallRequest } from '../../../src/daemon/kernel/call-request.js';
import type { SessionId } from '../../../src/protocol/ids.js';
import { tool } from '../kernel/kernel-fixture.js';
import { success } from '../../../src/protocol/tool-result.js';
import type { Answered } from '../sessions/sessions-fixture.js';
import { HERE, W1, WindowHouse } from './window-house.js';

interface Attention {
  readonly session_id: string;
  readonly source: string;
  readonly requires_ack: boolean;
  readonly ack_ref?: string;
  readonly messages: readonly { readonly message_id: string; readonly message: string; readonly message_truncated: boolean }[];
  readonly omitted_count: number;
  readonly truncated: boolean;
  readonly ack: { readonly accepted_count: number; readonly ignored_count: number };
}

const attention = (answer: Answered): Attention => answer.output['session_attention'] as Attention;
const asking = { requires_ack: true };

function read(house: WindowHouse, envelope: Record<string, unknown>, changes: Partial<CallRequest> = {}): Promise<Answered> {
  return house.call('read_thing', HERE, { envelope, ...changes });
}

async function four(): Promise<{ house: WindowHouse; session: SessionId; ids: string[] }> {
  const house = new WindowHouse();
  const session = await house.begin();
  const ids: string[] = [];
  for (const text of ['a', 'b', 'c', 'd']) {
    house.nowMs += 1_000;
    ids.push(await house.post(session, text, asking));
  }
  return { house, session, ids };
}

function acknowledgedAt(house: WindowHouse, id: string): unknown {
  return house.sessions.database.prepare('SELECT first_ack_observed_at FROM session_messages WHERE message_id = ?').pluck().get(id);
}

describe('attention and acknowledgements of one Session', () => {
  it('[02-A13] shows three of four, and carries the whole set forward in one ref', async () => {
    const { house, session, ids } = await four();
    const first = attention(await read(house, { record: session }));
    expect(first).toMatchObject({ session_id: session, source: 'recording_session', requires_ack: true, omitted_count: 1, truncated: true });
    expect(first.messages.map(({ message_id }) => message_id)).toEqual(ids.slice(0, 3));
    expect(first.ack_ref?.length).toBeLessThanOrEqual(64);
    const second = attention(await read(house, { record: session, ack_ref: first.ack_ref }));
    expect(second).toMatchObject({ omitted_count: 0, ack: { accepted_count: 3, ignored_count: 0 } });
    expect(second.messages.map(({ message }) => message)).toEqual(['d']);
    const third = attention(await read(house, { record: session, ack_ref: second.ack_ref }));
    expect(third).toMatchObject({ messages: [], requires_ack: false, ack: { accepted_count: 4 } });
    expect(third.ack_ref).toBe(second.ack_ref);
  });

  it('[02-A14] takes nothing by a ref when another message came, and shows the bodies again', async () => {
    const { house, session } = await four();
    const { ack_ref: first } = attention(await read(house, { record: session }));
    const { ack_ref: second } = attention(await read(house, { record: session, ack_ref: first }));
    house.nowMs += 1_000;
    await house.post(session, 'e', asking);
    const after = attention(await read(house, { record: session, ack_ref: second }));
    expect(after.ack).toEqual({ accepted_count: 0, ignored_count: 0 });
    expect(after.messages).toHaveLength(3);
  });

  it('[02-A15] keeps the first acknowledgement, in one revision', async () => {
    const { house, session, ids } = await four();
    const revision = (): number => house.sessions.domain.boards.read(session, (board) => board.state().revision) ?? -1;
    const before = revision();
    await read(house, { record: session, ack: [ids[0]] });
    const at = acknowledgedAt(house, ids[0] ?? '');
    expect(at).not.toBeNull();
    house.nowMs += 60_000;
    await read(house, { record: session, ack: [ids[0]] });
    expect([revision(), acknowledgedAt(house, ids[0] ?? '')]).toEqual([before + 1, at]);
    // Evidence of one request alone: left out, the body comes back.
    expect(attention(await read(house, { record: session })).messages[0]?.message_id).toBe(ids[0]);
  });

  it('[02-A16] takes eight ids at most, and counts those that it does not know', async () => {
    const { house, session } = await four();
    const ids = Array.from({ length: 9 }, (_, n) => `wc_msg_${String(n).padStart(16, '0')}`);
    const many = await read(house, { record: session, ack: ids });
    expect(many.output).toMatchObject({ error_kind: 'invalid_arguments', reason_code: 'wc_field_invalid' });
    const one = await read(house, { record: session, ack: ids.slice(0, 1) });
    expect(one.success).toBe(true);
    expect(attention(one).ack).toEqual({ accepted_count: 0, ignored_count: 1 });
  });

  it('persists an acknowledgement although its tool is refused', async () => {
    const { house, session, ids } = await four();
    const refused = await house.call('read_thing', { nonsense: 1 }, { envelope: { record: session, ack: [ids[1]] } });
    expect(refused.output['error_kind']).toBe('invalid_arguments');
    expect(acknowledgedAt(house, ids[1] ?? '')).not.toBeNull();
  });

  it('cuts bodies on a whole character, at 3,072 bytes together', async () => {
    const house = new WindowHouse();
    const session = await house.begin();
    await house.post(session, `x${'é'.repeat(3_000)}`, asking);
    house.nowMs += 1_000;
    await house.post(session, 'second', asking);
    const { messages, omitted_count: omitted, truncated } = attention(await read(house, { record: session }));
    // 1 + 2 × 1,535 is 3,071: one byte is left, and no é fits in it.
    expect(messages[0]).toMatchObject({ message: `x${'é'.repeat(1_535)}`, message_truncated: true });
    expect([messages.length, omitted, truncated]).toEqual([2, 0, true]);
    expect(messages[1]?.message).toBe('s');
  });

  it('says nothing where nothing is open and nothing was acknowledged', async () => {
    const house = new WindowHouse();
    const session = await house.begin();
    await house.post(session, 'a note that asks for nothing');
    expect(attention(await read(house, { record: session }))).toBeUndefined();
    expect(attention(await read(house, { record: session, ack: [] }))).toMatchObject({ messages: [], ack: { accepted_count: 0 } });
  });

  it('takes no ref of another Session, and none that was made by hand', async () => {
    const { house, session } = await four();
    const other = await house.begin();
    for (const text of ['a', 'b', 'c', 'd']) await house.post(other, text, asking);
    const { ack_ref: foreign } = attention(await read(house, { record: other }));
    for (const ref of [foreign, 'wcar1_', 'x', `${foreign ?? ''}A`]) {
      expect(attention(await read(house, { record: session, ack_ref: ref })).ack.accepted_count).toBe(0);
    }
  });
});

describe('resolving on the way', () => {
  it('[02-A21] starts nothing without a recorder, for a todo, and without the ACK that is asked for', async () => {
    let started = 0;
    const counting = tool('count_thing', () => {
      started += 1;
      return { result: success({}) };
    });
    const house = new WindowHouse([counting]);
    const session = await house.begin();
    const todo = await house.post(session, 'todo', { kind: 'todo' });
    const note = await house.post(session, 'note', asking);
    const resolve = (messageId: string, more: Record<string, unknown> = { record: session }): Promise<Answered> =>
      house.call('count_thing', HERE, { envelope: { resolve: { message_id: messageId, resolution: 'done' }, ...more } });
    expect((await resolve(note, {})).output['error_kind']).toBe('invalid_arguments');
    expect((await resolve(todo)).output).toMatchObject({ error_kind: 'invalid_session_message', reason_code: 'todo_requires_completion' });
    expect((await resolve(note)).output).toMatchObject({ error_kind: 'invalid_session_message', reason_code: 'ack_required' });
    expect(started).toBe(0);
    const resolved = await resolve(note, { record: session, ack: [note] });
    expect([resolved.success, started]).toEqual([true, 1]);
    expect((await resolve(note, { record: session, ack: [note] })).output['error_kind']).toBe('session_message_not_open');
    expect((await resolve('wc_msg_0000000000000000')).output['error_kind']).toBe('unknown_message_id');
  });
});

describe('a window and the Session that it was tied to', () => {
  it('[02-A17] shows its attention and names the gap, and records nothing there', async () => {
    const house = new WindowHouse();
    const session = await house.begin();
    await house.post(session, 'look', asking);
    await read(house, { record: session }, { window: W1 });
    house.nowMs += 1_000;
    const events = (): number => house.sessions.domain.snapshot(session)?.eventsObserved ?? -1;
    const before = events();
    const unrecorded = await read(house, {}, { window: W1 });
    expect(attention(unrecorded)).toMatchObject({ session_id: session, source: 'window_affinity', messages: [{ message: 'look' }] });
    expect(unrecorded.output['workflow_recording_attention']).toEqual({
      status: 'recording_session_missing',
      candidate_session_id: session,
      project: HERE.project,
      reason: 'same_window_recent_explicit_association',
    });
    expect(house.rows.at(-1)?.windowTiming?.recorderGap).toBe(session);
    const failed = await house.call('fail_thing', HERE, { window: W1, envelope: undefined });
    expect(attention(failed).source).toBe('window_affinity');
    expect(failed.output).not.toHaveProperty('workflow_recording_attention');
    const own = await house.call('read_thing', { ...HERE, session_id: session }, { window: W1 });
    expect(own.output).not.toHaveProperty('workflow_recording_attention');
    expect(events()).toBe(before + 2);
    const listed = await house.call('list_things', HERE, { window: W1 });
    const elsewhere = await house.call('read_thing', { project: 'agent:local:other' }, { window: W1 });
    for (const answer of [listed, elsewhere]) expect(answer.output).not.toHaveProperty('session_attention');
    await house.sessions.close(session);
    const closed = await read(house, {}, { window: W1 });
    expect(closed.output).not.toHaveProperty('session_attention');
    expect(closed.output).not.toHaveProperty('workflow_recording_attention');
  });

  it('takes acknowledgements through the affinity, over a restart', async () => {
    const house = new WindowHouse();
    const session = await house.begin();
    const id = await house.post(session, 'look', asking);
    await read(house, { record: session }, { window: W1 });
    await house.restart();
    const shown = attention(await read(house, {}, { window: W1 }));
    const acknowledged = attention(await read(house, { ack_ref: shown.ack_ref }, { window: W1 }));
    expect(acknowledged).toMatchObject({ messages: [], ack: { accepted_count: 1, ignored_count: 0 } });
    expect(acknowledgedAt(house, id)).not.toBeNull();
  });
});
