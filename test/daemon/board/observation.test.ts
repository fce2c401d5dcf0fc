import { describe, expect, it } from 'vitest';
import { boardFixture, kindOf, type Shown } from './board-fixture.js';

const texts = (messages: unknown): string[] => (messages as Shown[]).map(({ message }) => message);

describe('observing a board', () => {
  it('[02-A2] begins with a baseline and no messages', async () => {
    const house = boardFixture();
    const session = await house.begin();
    for (let n = 0; n < 5; n += 1) await house.post(session, `m${n}`);
    const baseline = await house.observe(session);
    expect(baseline.output).toMatchObject({ messages: [], changed: false, history_lost: false, has_more: false });
    const waiting = await house.observe(session, undefined, { wait_secs: 1 });
    expect(kindOf(waiting)).toBe('invalid_session_message_observation_request');
    const zero = await house.observe(session, baseline.output['observation_token'] as string, { wait_secs: 0 });
    expect(kindOf(zero)).toBe('invalid_session_message_observation_request');
  });

  it('[02-A3] refuses every token that is none of this Session, and shows none', async () => {
    const house = boardFixture();
    const [session, other] = [await house.begin(), await house.begin()];
    await house.post(session, 'm');
    const token = await house.token(session);
    const future = await (async () => {
      const ahead = boardFixture();
      const twin = await ahead.begin();
      for (let n = 0; n < 9; n += 1) await ahead.post(twin, 'm');
      return ahead.token(twin);
    })();
    const flipped = [...token].map((_, at) => token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1));
    const forged = [await house.token(other), `${token}${'A'.repeat(193 - token.length)}`, future, ...flipped, token.slice(0, -1), `${token}=`, ''];
    for (const bad of forged) {
      const answer = await house.observe(session, bad);
      expect(answer.output).toEqual({
        error_kind: 'invalid_session_message_observation_token',
        recovery_kind: 'reobserve',
        failure_kind: 'invalid_arguments',
        state_changed: false,
      });
    }
    expect((await house.observe(session, token)).success).toBe(true);
  });

  it('[02-A3] refuses a token from the future of its own Session', async () => {
    const house = boardFixture();
    const session = await house.begin();
    await house.post(session, 'm');
    const token = await house.token(session);
    house.sessions.database.exec('UPDATE session_boards SET observation_revision = 0');
    expect(kindOf(await house.observe(session, token))).toBe('invalid_session_message_observation_token');
  });

  it('[02-A4] times out as a success when only another Session changes', async () => {
    const house = boardFixture();
    const [session, other] = [await house.begin(), await house.begin()];
    const token = await house.token(session);
    const waiting = house.observe(session, token, { wait_secs: 1 });
    await house.post(other, 'elsewhere');
    expect(await waiting).toMatchObject({
      success: true,
      output: { wait_outcome: 'timeout', changed: false, messages: [], observation_token: token },
    });
  });

  it('[02-A5] goes page by page without losing a change', async () => {
    const house = boardFixture();
    const session = await house.begin();
    const token = await house.token(session);
    for (const text of ['a', 'b', 'c']) await house.post(session, text);
    const first = await house.observe(session, token, { limit: 2 });
    expect(first.output).toMatchObject({ has_more: true, changed: true });
    expect(texts(first.output['messages'])).toEqual(['a', 'b']);
    const second = await house.observe(session, first.output['observation_token'] as string, { limit: 2 });
    expect(second.output).toMatchObject({ has_more: false, changed: true });
    expect(texts(second.output['messages'])).toEqual(['c']);
  });

  it('wakes for a post, and for one that came between its look and its wait', async () => {
    const house = boardFixture();
    const session = await house.begin();
    const token = await house.token(session);
    const [observed] = await Promise.all([house.observe(session, token, { wait_secs: 30 }), house.post(session, 'now')]);
    expect(observed.output).toMatchObject({ wait_outcome: 'updated', changed: true });
    expect(texts(observed.output['messages'])).toEqual(['now']);
    const later = await house.observe(session, token, { wait_secs: 30 });
    expect(later.output).toMatchObject({ wait_outcome: 'immediate', waited_ms: 0 });
  });

  it('is good over a restart, and shows a message as it is now', async () => {
    const house = boardFixture();
    const session = await house.begin();
    const token = await house.token(session);
    const note = await house.post(session, 'note');
    await house.call('resolve_session_message', { session_id: session, message_id: note, resolution: 'seen' });
    await house.restart();
    const observed = await house.observe(session, token);
    expect(observed.output['messages']).toMatchObject([{ message_id: note, status: 'resolved', resolution: 'seen' }]);
  });

  it('is cut to the bound of a caller that gives up, and says so', async () => {
    const house = boardFixture();
    const session = await house.begin();
    const token = await house.token(session);
    const cut = await house.call(
      'observe_session_messages',
      { session_id: session, after_observation_token: token, wait_secs: 60 },
      { answerWithinMs: 1_500 },
    );
    expect(cut.output).toMatchObject({ wait_outcome: 'immediate', effective_wait_secs: 0 });
  });

  it('ends its waits when the daemon stops', async () => {
    const house = boardFixture();
    const session = await house.begin();
    const waiting = house.observe(session, await house.token(session), { wait_secs: 60 });
    await new Promise((resolve) => setImmediate(resolve));
    house.board.endWaits();
    expect((await waiting).output).toMatchObject({ wait_outcome: 'timeout', changed: false });
  });

  it('gives no token where the ledger cannot bear it out', async () => {
    const house = boardFixture();
    const session = await house.begin();
    await house.post(session, 'm');
    house.sessions.database.pragma('ignore_check_constraints = ON');
    house.sessions.database.exec('UPDATE session_boards SET observation_revision = -1');
    expect((await house.observe(session)).output).toMatchObject({ error_kind: 'invalid_message_observation_state', state_changed: false });
  });

  it('tells cursors on either side of a hole apart', async () => {
    const house = boardFixture();
    const session = await house.begin();
    const todo = await house.post(session, 'todo', { kind: 'todo' });
    const before = await house.token(session);
    await house.post(session, 'evicted');
    const after = await house.token(session);
    for (let n = 0; n < 198; n += 1) await house.post(session, `m${n}`);
    const completed = await house.complete(session, todo, await house.fence(session, todo));
    expect(completed.success).toBe(true);
    const listed = await house.messages(session);
    expect(listed).toHaveLength(100);
    expect(house.boards.read(session, (board) => [board.count(), board.has(todo), board.state().floor])).toEqual([200, true, 2]);
    expect((await house.observe(session, before)).output).toMatchObject({ history_lost: true, changed: true });
    expect((await house.observe(session, after)).output).toMatchObject({ history_lost: false, changed: true });
  });
});
