import { describe, expect, it } from 'vitest';
import { windowKey } from '../../../src/daemon/kernel/window-key.js';
import { peerId } from '../../../src/daemon/windows/peer-id.js';
import { success } from '../../../src/protocol/tool-result.js';
import { tool } from '../kernel/kernel-fixture.js';
import { alice, bob, type Answered } from '../sessions/sessions-fixture.js';
import { HERE, W1, W2, WindowHouse } from './window-house.js';

const FROM_1 = { window: W1 };
const FROM_2 = { window: W2 };
const kindOf = (answer: Answered): unknown => answer.output['error_kind'];
const messagesOf = (answer: Answered): Record<string, unknown>[] =>
  (answer.output['peer_messages'] as { messages: Record<string, unknown>[] } | undefined)?.messages ?? [];

/** Two windows that know each other. */
async function acquainted(): Promise<WindowHouse> {
  const house = new WindowHouse();
  await house.call('read_thing', HERE, FROM_1);
  await house.call('read_thing', HERE, FROM_2);
  return house;
}

function write(house: WindowHouse, to: string, more: Record<string, unknown> = {}, changes: object = FROM_1): Promise<Answered> {
  return house.call('post_peer_message', { peer_id: to, kind: 'note', message: 'hello', ...more }, changes);
}

describe('the key of a window', () => {
  it('[02-A18] is made of 1 to 256 visible ASCII characters and of nothing else', async () => {
    expect(windowKey('openai-session', 'demo-window-1')).toBe('07233e9f330058dee3950845e79eca6544fb9856aa96576c1317c631774f7907');
    expect(windowKey('openai-session', ' demo-window-1 ')).toBe(windowKey('openai-session', 'demo-window-1'));
    for (const none of [undefined, '', 'a b', 'x'.repeat(257), 'é']) expect(windowKey('openai-session', none)).toBeNull();
    const house = new WindowHouse();
    expect(kindOf(await write(house, peerId(W2), {}, { window: null }))).toBe('peer_identity_unavailable');
  });

  it('[05-A28] that is missing leaves the activity unavailable, which is no failure', async () => {
    const house = new WindowHouse();
    const activity = await house.call('read_current_window_activity', {}, { window: null });
    expect(activity).toMatchObject({ success: true, output: { status: 'unavailable', reason_code: 'window_identity_unavailable' } });
  });
});

describe('finding peers', () => {
  it('[02-A19] tells of activity up to 10 minutes ago, once', async () => {
    const house = new WindowHouse();
    await house.call('read_thing', HERE, FROM_1);
    const active = house.nowMs;
    house.nowMs += 599_000;
    const seen = await house.call('read_thing', HERE, FROM_2);
    expect(seen.output['peer_awareness']).toEqual({
      self_peer_id: peerId(W2),
      project: HERE.project,
      recent_window_secs: 600,
      new_peers: [{ peer_id: peerId(W1), source: 'openai-session', last_meaningful_activity_at_ms: active }],
      semantics: 'recent_same_project_activity_not_liveness',
    });
    expect((await house.call('read_thing', HERE, FROM_2)).output).not.toHaveProperty('peer_awareness');

    const late = new WindowHouse();
    await late.call('read_thing', HERE, FROM_1);
    late.nowMs += 601_000;
    expect((await late.call('read_thing', HERE, FROM_2)).output).not.toHaveProperty('peer_awareness');

    const others = new WindowHouse();
    await others.call('read_thing', HERE, FROM_1);
    for (const changes of [{ window: W2, principal: bob }, FROM_1]) {
      expect((await others.call('read_thing', HERE, changes)).output).not.toHaveProperty('peer_awareness');
    }
    expect((await others.call('read_thing', { project: 'agent:local:other' }, FROM_2)).output).not.toHaveProperty('peer_awareness');
    expect((await others.call('list_things', HERE, FROM_2)).output).not.toHaveProperty('peer_awareness');
  });
});

describe('messages between peers', () => {
  it('[02-A20] shows an ordinary one once, and one that asks for it until it is acknowledged by its id', async () => {
    const house = await acquainted();
    const sent = await write(house, peerId(W1), {}, FROM_2);
    expect(sent.output).toMatchObject({ sender_peer_id: peerId(W2), recipient_peer_id: peerId(W1), replayed: false, requires_ack: false });
    const asking = await write(house, peerId(W1), { message: 'answer me', requires_ack: true }, FROM_2);
    const id = asking.output['message_id'];
    const first = await house.call('read_thing', HERE, FROM_1);
    expect(messagesOf(first)).toMatchObject([
      { message: 'hello', from_peer_id: peerId(W2), projection_count: 1 },
      { message: 'answer me', requires_ack: true, projection_count: 1 },
    ]);
    // Another project, and a tool that only looks: a route belongs to windows.
    const second = await house.call('list_things', { project: 'agent:local:other' }, FROM_1);
    expect(messagesOf(second)).toMatchObject([{ message_id: id, projection_count: 2 }]);
    const byRef = await house.call('read_thing', HERE, { ...FROM_1, envelope: { ack_ref: 'wcar1_AAAA' } });
    expect(messagesOf(byRef)).toHaveLength(1);
    const row = (): Record<string, unknown> =>
      house.sessions.database.prepare('SELECT * FROM window_messages WHERE message_id = ?').get(id) as Record<string, unknown>;
    const at = house.nowMs;
    const acknowledged = await house.call('read_thing', HERE, { ...FROM_1, envelope: { ack: [id] } });
    expect(acknowledged.output['peer_messages']).toEqual({ messages: [], ack: { accepted_count: 1, accepted_ids: [id] } });
    house.nowMs += 5_000;
    expect(messagesOf(await house.call('read_thing', HERE, FROM_1))).toMatchObject([{ message_id: id, projection_count: 4 }]);
    await house.call('read_thing', HERE, { ...FROM_1, envelope: { ack: [id] } });
    expect(row()).toMatchObject({ first_ack_observed_at_ms: at, projection_count: 4 });
  });

  it('delivers a keyed one once, over a restart, and to one peer', async () => {
    const house = await acquainted();
    const sent = await write(house, peerId(W1), { delivery_key: 'k' }, FROM_2);
    await house.restart();
    const again = await write(house, peerId(W1), { delivery_key: 'k' }, FROM_2);
    expect(again.output).toMatchObject({ message_id: sent.output['message_id'], replayed: true, state_changed: false });
    expect((await write(house, peerId(W1), { delivery_key: 'k', message: 'other' }, FROM_2)).output).toMatchObject({
      error_kind: 'delivery_key_conflict',
      failure_kind: 'conflict',
    });
    house.sessions.database.pragma('query_only = ON');
    const uncertain = await write(house, peerId(W1), { delivery_key: 'new' }, FROM_2);
    house.sessions.database.pragma('query_only = OFF');
    expect(uncertain.output).toMatchObject({
      error_kind: 'peer_message_persistence_uncertain',
      failure_kind: 'outcome_unknown',
      state_changed: null,
      retry_same_delivery: true,
    });
  });

  it('refuses in both places by the same kind', async () => {
    const house = await acquainted();
    const anonymous = { ...alice, authority: null, fingerprint: null };
    const cases: [string, Promise<Answered>][] = [
      ['invalid_peer_id', write(house, 'wc_peer_x')],
      ['peer_self_target', write(house, peerId(W1))],
      ['peer_not_found', write(house, `wc_peer_${'0'.repeat(32)}`)],
      ['peer_principal_unavailable', write(house, peerId(W2), {}, { window: W1, principal: anonymous })],
      ['invalid_peer_message', write(house, peerId(W2), { message: ' ' })],
      ['invalid_delivery_key', write(house, peerId(W2), { delivery_key: '' })],
    ];
    for (const [kind, answer] of cases) {
      expect((await answer).output).toMatchObject({ error_kind: kind, failure_kind: kind, state_changed: false });
    }
    expect((await write(house, peerId(W2))).success).toBe(true);
  });

  it('marks nothing that does not fit its answer, or took too long', async () => {
    const huge = tool('print_much', () => ({ result: success({ text: 'x'.repeat(1024 * 1024) }) }));
    const house = new WindowHouse([huge]);
    await house.call('read_thing', HERE, FROM_1);
    await house.call('read_thing', HERE, FROM_2);
    await write(house, peerId(W1), {}, FROM_2);
    const full = await house.call('print_much', HERE, FROM_1);
    expect(full.output).not.toHaveProperty('peer_messages');
    expect(house.sessions.database.prepare('SELECT projection_count FROM window_messages').pluck().get()).toBe(0);
    house.slowness = 41;
    expect(messagesOf(await house.call('read_thing', HERE, FROM_1))).toEqual([]);
    house.slowness = 0;
    expect(messagesOf(await house.call('read_thing', HERE, FROM_1))).toMatchObject([{ projection_count: 1 }]);
  });

  it('keeps 512 messages and 1,024 discoveries of a principal', async () => {
    const house = await acquainted();
    for (let n = 0; n < 515; n += 1) await write(house, peerId(W1), { message: `m${n}` }, FROM_2);
    expect(house.sessions.database.prepare('SELECT count(*), min(message) FROM window_messages').raw().get()).toEqual([512, 'm10']);
    expect(messagesOf(await house.call('read_thing', HERE, FROM_1))).toMatchObject([{ message: 'm3' }, { message: 'm4' }, { message: 'm5' }, { message: 'm6' }]);
  });
});

describe('the operator and a window', () => {
  it('is answered by the window that was shown the message, once a text', async () => {
    const house = await acquainted();
    const post = house.windows.routes.find(({ path }) => path === '/api/windows/message');
    const list = house.windows.routes.find(({ path }) => path === '/api/windows/list');
    const said = await post?.handle({ window: peerId(W1), message: 'how is it?', requires_ack: true }, alice);
    const id = (said?.body as { output: { message_id: string } }).output.message_id;
    const reply = (more: object): Promise<Answered> =>
      house.call('read_thing', HERE, { ...FROM_1, envelope: { reply: { reply_to: id, message: 'well' } }, ...more });
    expect((await reply({})).output['window_reply']).toMatchObject({ success: false, failure_kind: 'invalid_context', state_changed: false });
    const shown = await house.call('read_thing', HERE, FROM_1);
    expect(messagesOf(shown)).toMatchObject([{ message_id: id, from_peer_id: 'operator', message: 'how is it?' }]);
    const replied = await reply({});
    expect(replied.output['window_reply']).toMatchObject({ success: true, reply_to: id, replayed: false, state_changed: true });
    expect((await reply({})).output['window_reply']).toMatchObject({ success: true, replayed: true, state_changed: false });
    expect((await reply(FROM_2)).output['window_reply']).toMatchObject({ success: false, failure_kind: 'invalid_context' });
    const poor = { ...alice, scopes: new Set(['project:read' as const]) };
    expect((await reply({ principal: poor })).output['window_reply']).toMatchObject({ failure_kind: 'insufficient_scope' });
    // An operator's message that was acknowledged once does not come back.
    await house.call('read_thing', HERE, { ...FROM_1, envelope: { ack: [id] } });
    expect(messagesOf(await house.call('read_thing', HERE, FROM_1))).toEqual([]);
    const listed = await list?.handle({}, alice);
    expect((listed?.body as { output: { windows: { messages: object[] }[] } }).output.windows.flatMap(({ messages }) => messages)).toMatchObject([
      { message_id: id, from: 'operator' },
      { from: 'window', message: 'well', reply_to: id },
    ]);
    expect((await list?.handle({}, { ...alice, credential: 'api_token' }))?.status).toBe(403);
  });
});
