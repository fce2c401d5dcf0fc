import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newMessageId } from '../../../src/daemon/board/message-id.js';
import { postMessage } from '../../../src/daemon/board/post-message.js';
import type { ProjectId } from '../../../src/protocol/ids.js';
import { bob } from '../sessions/sessions-fixture.js';
import { boardFixture, kindOf } from './board-fixture.js';

describe('posting', () => {
  it('[02-A1] delivers a keyed post once, over a restart, until its message is evicted', async () => {
    const house = boardFixture({ messagesPerSession: 3 });
    const session = await house.begin();
    const keyed = { session_id: session, kind: 'note', message: 'hello', tags: ['a'], delivery_key: 'once' };
    const first = await house.call('post_session_message', keyed);
    await house.restart();
    const again = await house.call('post_session_message', keyed);
    expect(again.output).toMatchObject({ message_id: first.output['message_id'], replayed: true, state_changed: false });
    const other = await house.call('post_session_message', { ...keyed, priority: 'high' });
    expect(other.output).toMatchObject({
      error_kind: 'delivery_key_conflict',
      failure_kind: 'conflict',
      recovery_kind: 'fix_input',
      state_changed: false,
    });
    for (const text of ['1', '2', '3']) await house.post(session, text);
    const anew = await house.call('post_session_message', keyed);
    expect(anew.output).toMatchObject({ replayed: false, state_changed: true });
    expect(anew.output['message_id']).not.toBe(first.output['message_id']);
  });

  it('tells a keyed poster to send the same again when the disk fails, and then has it once', async () => {
    const house = boardFixture();
    const session = await house.begin();
    const keyed = { session_id: session, kind: 'note', message: 'hello', delivery_key: 'once' };
    const failed = await house.withoutDisk(() => house.call('post_session_message', keyed));
    expect(failed.output).toMatchObject({
      error_kind: 'message_delivery_persistence_uncertain',
      failure_kind: 'outcome_unknown',
      state_changed: true,
      retry_same_delivery: true,
      recovery_kind: 'retry_same',
    });
    const retried = await house.call('post_session_message', keyed);
    const replay = await house.withoutDisk(() => house.call('post_session_message', keyed));
    expect(kindOf(replay)).toBe('message_delivery_persistence_uncertain');
    await house.restart();
    expect((await house.call('post_session_message', keyed)).output).toMatchObject({
      message_id: retried.output['message_id'],
      replayed: true,
    });
    expect(await house.messages(session)).toHaveLength(1);
  });

  it('[02-A6] [04-A9] refuses a Closed Session and a foreign reply_to, and still lists', async () => {
    const house = boardFixture();
    const [session, other] = [await house.begin(), await house.begin()];
    const foreign = await house.post(other, 'elsewhere');
    await house.post(session, 'here');
    const reply = await house.call('post_session_message', { session_id: session, kind: 'note', message: 'x', reply_to: foreign });
    expect(kindOf(reply)).toBe('unknown_message_id');
    await house.sessions.close(session);
    expect(kindOf(await house.call('post_session_message', { session_id: session, kind: 'note', message: 'x' }))).toBe('session_closed');
    expect((await house.messages(session)).map(({ message }) => message)).toEqual(['here']);
    expect((await house.call('read_session_summary', { session_id: session })).success).toBe(true);
  });

  it('[02-A7] speaks within one project only, and from none into none', async () => {
    const house = boardFixture();
    const target = await house.begin();
    await house.post(target, 'hidden words');
    const recorder = await house.sessions.begin({ project: 'agent:local:other' as ProjectId });
    const unscoped = (await house.call('start_session', {})).output['session_id'] as string;
    for (const recordingSessionId of [recorder, unscoped]) {
      for (const [tool, args] of [
        ['post_session_message', { kind: 'note', message: 'x' }],
        ['list_session_messages', {}],
        ['observe_session_messages', {}],
        ['read_session_discussion_summary', {}],
      ] as const) {
        const answer = await house.call(tool, { session_id: target, ...args }, { recordingSessionId });
        expect(kindOf(answer)).toBe('session_project_mismatch');
        expect(JSON.stringify(answer)).not.toContain('hidden words');
      }
    }
    const another = (await house.call('start_session', {})).output['session_id'] as string;
    const unscopedBoth = await house.call('post_session_message', { session_id: another, kind: 'note', message: 'x' }, { recordingSessionId: unscoped });
    expect(unscopedBoth.success).toBe(true);
    expect(await house.messages(target)).toHaveLength(1);
  });

  it('says which field is out of its bounds, and echoes nothing of it', async () => {
    const house = boardFixture();
    const session = await house.begin();
    const cases: [Record<string, unknown>, string][] = [
      [{ kind: 'shout' }, 'kind'],
      [{ message: '  ' }, 'message'],
      [{ message: 'é'.repeat(8001) }, 'message'],
      [{ priority: 'urgent' }, 'priority'],
      [{ tags: Array.from({ length: 17 }, (_, n) => `t${n}`) }, 'tags'],
      [{ tags: ['x'.repeat(65)] }, 'tags'],
      [{ delivery_key: ' ' }, 'delivery_key'],
      [{ delivery_key: 'k'.repeat(129) }, 'delivery_key'],
    ];
    for (const [change, field] of cases) {
      const answer = await house.call('post_session_message', { session_id: session, kind: 'note', message: 'x', ...change });
      expect(answer.output).toMatchObject({ error_kind: 'invalid_session_message', field, state_changed: false });
    }
    expect(await house.messages(session)).toEqual([]);
    const most = await house.call('post_session_message', {
      session_id: session,
      kind: 'todo',
      message: `  ${'😀'.repeat(8000)} `,
      tags: [' a ', '', 'a', 'b'],
    });
    expect(most.output['message']).toMatchObject({ message: '😀'.repeat(8000), tags: ['a', 'b'], priority: 'normal' });
  });

  it('stores no credential, and the same text again is the same delivery', async () => {
    const house = boardFixture();
    const session = await house.begin();
    const secret = 'ghp_0123456789abcdefghijklmnop';
    const keyed = { session_id: session, kind: 'note', message: `use ${secret} there`, tags: [`token=${secret}`], delivery_key: 'k' };
    await house.call('post_session_message', keyed);
    expect((await house.call('post_session_message', keyed)).output['replayed']).toBe(true);
    expect(house.sessions.bytes()).not.toContain(secret);
  });

  it('is for whoever owns the Session', async () => {
    const house = boardFixture();
    const session = await house.begin();
    const answer = await house.call('post_session_message', { session_id: session, kind: 'note', message: 'x' }, { principal: bob });
    expect(kindOf(answer)).toBe('session_authority_denied');
  });
});

describe('listing and resolving', () => {
  it('narrows by every filter at once, newest first', async () => {
    const house = boardFixture();
    const session = await house.begin();
    const todo = await house.post(session, 'todo', { kind: 'todo' });
    const first = await house.post(session, 'one', { reply_to: todo });
    const second = await house.post(session, 'two', { reply_to: todo, kind: 'risk' });
    const list = async (filter: Record<string, unknown>) =>
      ((await house.call('list_session_messages', { session_id: session, ...filter })).output['messages'] as { message_id: string }[]).map(
        ({ message_id }) => message_id,
      );
    expect(await list({})).toEqual([second, first, todo]);
    expect(await list({ reply_to: todo })).toEqual([second, first]);
    expect(await list({ reply_to: todo, kind: 'risk' })).toEqual([second]);
    expect(await list({ message_id: first, kind: 'risk' })).toEqual([]);
    await house.call('resolve_session_message', { session_id: session, message_id: first });
    expect(await list({ status: 'open' })).toEqual([second, todo]);
    for (const filter of [{ kind: 'todos' }, { status: 'closed' }]) {
      const refused = await house.call('list_session_messages', { session_id: session, ...filter });
      expect(refused.output).toMatchObject({ error_kind: 'invalid_session_message', field: Object.keys(filter)[0], state_changed: false });
    }
    const cut = await house.call('list_session_messages', { session_id: session, limit: 1 });
    expect(cut.output).toMatchObject({ returned: 1, matched: 3, has_more: true });
  });

  it('resolves once; the same again changes nothing, another text does', async () => {
    const house = boardFixture();
    const session = await house.begin();
    const note = await house.post(session, 'note');
    const resolve = (resolution?: string) =>
      house.call('resolve_session_message', { session_id: session, message_id: note, ...(resolution === undefined ? {} : { resolution }) });
    expect((await resolve('seen')).output).toMatchObject({ state_changed: true, message: { status: 'resolved', resolution: 'seen' } });
    const revision = house.revision(session);
    expect((await resolve('seen')).output['state_changed']).toBe(false);
    expect((await resolve()).output['state_changed']).toBe(false);
    expect(house.revision(session)).toBe(revision);
    expect((await resolve('done')).output).toMatchObject({ state_changed: true, message: { resolution: 'done' } });
    expect(house.revision(session)).toBe(revision + 1);
    expect(kindOf(await house.call('resolve_session_message', { session_id: session, message_id: 'wc_msg_0000000000000000' }))).toBe(
      'unknown_message_id',
    );
  });

  it('holds 200 of 10,000 messages', async () => {
    const house = boardFixture();
    const session = await house.begin();
    const parts = { now: () => 1, newMessageId: () => newMessageId(randomBytes), messagesPerSession: 200 };
    for (let at = 0; at < 10_000; at += 1_000) {
      const posts = Array.from({ length: 1_000 }, (_, n) => `m${at + n}`);
      await Promise.all(
        posts.map((message) =>
          house.ledger().mutate(session, (board, view) => postMessage(parts, { kind: 'note', message }, board, view)),
        ),
      );
    }
    const retained = house.boards.read(session, (board) => ({ count: board.count(), state: board.state(), oldest: board.oldest(1) }));
    expect(retained).toMatchObject({ count: 200, state: { revision: 10_000, floor: 9_800 }, oldest: [{ revision: 9_801 }] });
  });
});
