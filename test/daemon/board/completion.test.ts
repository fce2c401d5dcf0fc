import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replaceMessage, withdrawMessage } from '../../../src/daemon/board/close-message.js';
import { newMessageId } from '../../../src/daemon/board/message-id.js';
import type { SessionId } from '../../../src/protocol/ids.js';
import { boardFixture, kindOf, type BoardFixture } from './board-fixture.js';

const DIE = join(import.meta.dirname, 'die-after-completion.mjs');

async function assigned(limits = {}): Promise<{ house: BoardFixture; session: SessionId; todo: string; fence: string }> {
  const house = boardFixture(limits);
  const session = await house.begin();
  const todo = await house.post(session, 'do it', { kind: 'todo' });
  return { house, session, todo, fence: await house.fence(session, todo) };
}

const parts = { now: () => 1_800_000_000, newMessageId: () => newMessageId(randomBytes), messagesPerSession: 200 };

describe('completing a todo', () => {
  it('[02-A8] makes one answer, whose author is the recorder or nobody', async () => {
    const { house, session, todo, fence } = await assigned();
    const recorder = await house.begin();
    const done = await house.complete(session, todo, fence, {}, { recordingSessionId: recorder });
    expect(done.output).toMatchObject({
      message_id: todo,
      replayed: false,
      state_changed: true,
      todo: { status: 'resolved', resolved_by_message_id: done.output['answer_message_id'] },
      answer: { kind: 'answer', status: 'open', reply_to: todo, author_session_id: recorder },
    });
    expect(done.output['completion_id']).toMatch(/^[0-9a-f]{64}$/);
    const other = await house.post(session, 'again', { kind: 'todo' });
    const anonymous = await house.complete(session, other, await house.fence(session, other), { completion_key: 'k2' });
    expect(anonymous.output['answer']).not.toHaveProperty('author_session_id');
    expect((await house.messages(session)).filter(({ kind }) => kind === 'answer')).toHaveLength(2);
  });

  it('[02-A9] [04-A36] is stale after a new reply, and the fresh fence works next', async () => {
    const { house, session, todo, fence } = await assigned();
    const reply = await house.post(session, 'wait: also this', { reply_to: todo });
    const stale = await house.complete(session, todo, fence);
    expect(stale.output).toMatchObject({
      error_kind: 'assignment_stale',
      failure_kind: 'conflict',
      recovery_kind: 'reobserve',
      state_changed: false,
      session_id: session,
      message_id: todo,
      current_assignment: { todo: { message_id: todo }, direct_replies: [{ message_id: reply }], direct_replies_truncated: false },
    });
    const next = await house.complete(session, todo, stale.output['fresh_assignment_fence'] as string);
    expect(next.success).toBe(true);
  });

  it('[02-A10] knows its key again, over a restart and whatever the thread became', async () => {
    const { house, session, todo, fence } = await assigned();
    const done = await house.complete(session, todo, fence, { tags: ['x'] });
    await house.restart();
    await house.post(session, 'later', { reply_to: todo });
    const revision = house.revision(session);
    const again = await house.complete(session, todo, fence, { tags: ['x'] });
    expect(again.output).toMatchObject({ replayed: true, state_changed: false, answer_message_id: done.output['answer_message_id'] });
    expect(house.revision(session)).toBe(revision);
    const differing = [{ answer: 'other' }, { tags: [] }, { tags: ['x'], priority: 'high' }, { tags: ['x'], expected_assignment_fence: `wsa2_${'A'.repeat(22)}` }];
    for (const more of differing) {
      expect(kindOf(await house.complete(session, todo, fence, { tags: ['x'], ...more }))).toBe('idempotency_conflict');
    }
    const recorder = await house.begin();
    expect(kindOf(await house.complete(session, todo, fence, { tags: ['x'] }, { recordingSessionId: recorder }))).toBe('idempotency_conflict');
    expect((await house.complete(session, todo, fence, { completion_key: 'other' })).output).toMatchObject({
      error_kind: 'already_completed',
      answer_message_id: done.output['answer_message_id'],
      completion_id: done.output['completion_id'],
    });
  });

  it('[02-A11] cannot be vouched for with 17 replies, or with one that was evicted', async () => {
    const { house, session, todo, fence } = await assigned();
    for (let n = 0; n < 17; n += 1) await house.post(session, `r${n}`, { reply_to: todo });
    const large = await house.complete(session, todo, fence);
    expect(large.output).toMatchObject({ error_kind: 'assignment_too_large', reply_count: 17, max_replies: 16 });
    expect((large.output['current_assignment'] as { direct_replies: unknown[] }).direct_replies).toHaveLength(16);
    const read = await house.call('get_session_assignment', { session_id: session, message_id: todo });
    expect(kindOf(read)).toBe('assignment_too_large');

    const held = boardFixture({ messagesPerSession: 4 });
    const board = await held.begin();
    const keep = await held.post(board, 'todo', { kind: 'todo' });
    await held.post(board, 'reply', { reply_to: keep });
    const fresh = await held.fence(board, keep);
    // As after a tie that kept the todo: the reply is the older one now, and goes first.
    held.sessions.database.exec(`UPDATE session_messages SET message_number = message_number + 10 WHERE message_id = '${keep}'`);
    for (let n = 0; n < 3; n += 1) await held.post(board, `m${n}`);
    expect(held.boards.read(board, (seen) => seen.has(keep))).toBe(true);
    expect((await held.complete(board, keep, fresh)).output).toMatchObject({
      error_kind: 'assignment_history_lost',
      current_assignment: { direct_replies: [] },
    });
    const token = await house.token(session);
    expect(kindOf(await house.complete(session, todo, token))).toBe('invalid_assignment_fence');
  });

  it('[02-A12] has no fresh fence for a withdrawn todo, and makes no answer', async () => {
    const { house, session, todo, fence } = await assigned();
    await house.ledger().mutate(session, (board, view) => withdrawMessage(parts, todo, board, view));
    const stale = await house.complete(session, todo, fence);
    expect(stale.output).toMatchObject({ error_kind: 'assignment_stale', fresh_assignment_fence: null });
    expect(await house.messages(session)).toHaveLength(1);
  });

  it('has a fence that ignores acknowledgements and other traffic, and sees every change of its thread', async () => {
    const { house, session, todo, fence } = await assigned();
    await house.post(session, 'unrelated');
    house.sessions.database.exec(`UPDATE session_messages SET first_ack_observed_at = 5 WHERE message_id = '${todo}'`);
    expect(await house.fence(session, todo)).toBe(fence);
    const reply = await house.post(session, 'reply', { reply_to: todo });
    const withReply = await house.fence(session, todo);
    await house.call('resolve_session_message', { session_id: session, message_id: reply });
    const resolved = await house.fence(session, todo);
    expect(new Set([fence, withReply, resolved]).size).toBe(3);
  });

  it('refuses in the order of its rows', async () => {
    const { house, session, todo, fence } = await assigned();
    const note = await house.post(session, 'note');
    expect(kindOf(await house.complete(session, 'wc_msg_0000000000000000', 'nonsense'))).toBe('invalid_assignment_fence');
    expect(kindOf(await house.complete(session, 'wc_msg_0000000000000000', fence))).toBe('unknown_message_id');
    expect(kindOf(await house.complete(session, note, fence))).toBe('session_message_not_todo');
    await house.sessions.close(session);
    expect(kindOf(await house.complete(session, todo, 'nonsense'))).toBe('session_closed');
  });

  it('tells to send the same again when the disk fails, and then has one answer', async () => {
    const { house, session, todo, fence } = await assigned();
    const failed = await house.withoutDisk(() => house.complete(session, todo, fence));
    expect(failed.output).toMatchObject({
      error_kind: 'completion_persistence_uncertain',
      failure_kind: 'outcome_unknown',
      state_changed: true,
      retry_same_completion: true,
      recovery_kind: 'retry_same',
    });
    expect((await house.complete(session, todo, fence)).success).toBe(true);
    expect((await house.complete(session, todo, fence)).output['replayed']).toBe(true);
    expect(await house.messages(session)).toHaveLength(2);
  });
});

describe('a daemon that dies between a completion and its answer', () => {
  it('has completed once, and says so to the same completion key', async () => {
    const { house, session, todo, fence } = await assigned();
    const died = spawnSync(process.execPath, [DIE, house.sessions.folder, session, todo, fence]);
    expect(died.signal).toBe('SIGKILL');
    await house.restart();
    const again = await house.complete(session, todo, fence);
    expect(again.output).toMatchObject({ replayed: true, state_changed: false, answer: { message: 'done' } });
    expect((await house.messages(session)).map(({ kind }) => kind)).toEqual(['todo', 'answer']);
  });
});

describe('what an operator closes', () => {
  it('withdraws an open message alone, and the same again is the same', async () => {
    const { house, session, todo } = await assigned();
    const withdraw = () => house.ledger().mutate(session, (board, view) => withdrawMessage(parts, todo, board, view));
    expect(await withdraw()).toMatchObject({ changed: { message: { closure_kind: 'withdrawn', message: 'do it' } } });
    expect(await withdraw()).toMatchObject({ unchanged: { replayed: true } });
    const note = await house.post(session, 'note');
    await house.call('resolve_session_message', { session_id: session, message_id: note });
    const late = await house.ledger().mutate(session, (board, view) => withdrawMessage(parts, note, board, view));
    expect(late).toMatchObject({ unchanged: { failure: { output: { error_kind: 'session_message_not_open' } } } });
  });

  it('replaces a message by one that takes over everything but who has seen it', async () => {
    const { house, session, todo } = await assigned();
    const reply = await house.post(session, 'reply', { reply_to: todo, tags: ['t'], priority: 'high', requires_ack: true, kind: 'risk' });
    house.sessions.database.exec(`UPDATE session_messages SET first_ack_observed_at = 5 WHERE message_id = '${reply}'`);
    const revision = house.revision(session);
    const replace = (message: string) =>
      house.ledger().mutate(session, (board, view) => replaceMessage(parts, { messageId: reply, message }, board, view));
    const replaced = await replace('better');
    expect(house.revision(session)).toBe(revision + 2);
    expect(replaced).toMatchObject({
      changed: {
        message: { message: 'better', kind: 'risk', tags: ['t'], priority: 'high', reply_to: todo, requires_ack: true, supersedes_message_id: reply },
        replaced: { status: 'resolved', closure_kind: 'superseded', message: 'reply' },
      },
    });
    if (replaced === null || !('changed' in replaced) || 'failure' in replaced.changed) throw new Error('it was replaced');
    expect(replaced.changed.message).not.toHaveProperty('first_ack_observed_at');
    expect(await replace('better')).toMatchObject({ unchanged: { replayed: true } });
    expect(await replace('other')).toMatchObject({ unchanged: { failure: { output: { error_kind: 'idempotency_conflict' } } } });
  });
});
