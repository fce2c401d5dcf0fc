import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/protocol/ids.js';
import { MAX_EXPIRY_ORDINAL } from '../../../src/daemon/sessions/tombstone.js';
import { alice, ALICE, bob, evidenceEnd, evidenceStart, sessionsFixture, type SessionsFixture } from './sessions-fixture.js';

function ordinals(fixture: SessionsFixture): unknown {
  return fixture.database.prepare('SELECT session_id, expiry_ordinal FROM session_tombstones ORDER BY expiry_ordinal').raw().all();
}

test('[01-A9] limit 1, close A and B: A leaves a tombstone that only its owner sees', async () => {
  const fixture = sessionsFixture({ historicalSessionRetentionLimit: 1 });
  const [a, b] = [await fixture.begin(), await fixture.begin()];
  await fixture.close(a);
  await fixture.close(b);
  expect(ordinals(fixture)).toEqual([[a, 1]]);
  expect(fixture.status()).toMatchObject({ retained_sessions: 1, closed_sessions: 1, capacity_evictions: 1, retention_tombstones: 1 });

  const owner = await fixture.call('read_session_summary', { session_id: a });
  expect(owner.output).toEqual({ error_kind: 'session_retention_expired', recovery_kind: 'none', session_id: a, state_changed: false });
  const foreign = await fixture.call('read_session_summary', { session_id: a }, { principal: bob });
  const never = await fixture.call('read_session_summary', { session_id: 'wc_sess_NeverNeverNever_' }, { principal: bob });
  expect(foreign).toEqual(never);
  expect(foreign.output).toEqual({ error_kind: 'unknown_session_id', recovery_kind: 'fix_input' });
});

test('[01-A10] then close C: A is as if it had never been, B expired', async () => {
  const fixture = sessionsFixture({ historicalSessionRetentionLimit: 1 });
  const [a, b, c] = [await fixture.begin(), await fixture.begin(), await fixture.begin()];
  const refOfA = fixture.domain.refFor(a, alice) as string;
  for (const session of [a, b]) await fixture.close(session);
  expect(fixture.domain.resolveSelector(refOfA, alice)).toMatchObject({
    failure: { output: { error_kind: 'session_retention_expired', session_id: a, state_changed: false } },
  });
  await fixture.close(c);
  expect(fixture.domain.lookUp(a, alice)).toEqual({ found: 'nothing' });
  expect(fixture.domain.resolveSelector(refOfA, alice)).toMatchObject({ failure: { output: { error_kind: 'unknown_session_ref' } } });
  expect(ordinals(fixture)).toEqual([[b, 2]]);
  expect(fixture.status()).toMatchObject({ capacity_evictions: 2, retention_tombstones: 1 });
});

test('[01-A11] limit 0 keeps neither history nor tombstones', async () => {
  const fixture = sessionsFixture({ historicalSessionRetentionLimit: 0 });
  const session = await fixture.begin();
  expect(await fixture.close(session)).toMatchObject({ success: true, output: { already_closed: false, lifecycle: 'closed' } });
  expect(fixture.status()).toMatchObject({ retained_sessions: 0, retention_tombstones: 0, capacity_evictions: 1 });
  expect(fixture.database.prepare('SELECT count(*) FROM session_events').pluck().get()).toBe(0);
});

test('[01-A12] at the greatest ordinal the retained ones are renumbered, and the oldest goes first', async () => {
  const fixture = sessionsFixture({ historicalSessionRetentionLimit: 2 });
  const plant = fixture.database.prepare('INSERT INTO session_tombstones VALUES (?, ?, ?, ?)');
  plant.run('wc_sess_XXXXXXXXXXXXXXXX', ALICE, 'c'.repeat(64), 10);
  plant.run('wc_sess_YYYYYYYYYYYYYYYY', ALICE, 'd'.repeat(64), MAX_EXPIRY_ORDINAL);
  await fixture.restart();
  const sessions: SessionId[] = [];
  for (let count = 0; count < 3; count += 1) sessions.push(await fixture.begin());
  for (const session of sessions) await fixture.close(session);
  expect(ordinals(fixture)).toEqual([['wc_sess_YYYYYYYYYYYYYYYY', 2], [sessions[0], 3]]);
  expect(
    fixture.database.prepare("SELECT incarnation_fingerprint FROM session_tombstones WHERE session_id LIKE '%Y'").pluck().get(),
  ).toBe('d'.repeat(64));
});

test('[01-A14] a tombstone of a live Session is dropped at the start', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  fixture.database.prepare('INSERT INTO session_tombstones VALUES (?, ?, ?, 4)').run(session, ALICE, 'c'.repeat(64));
  await fixture.restart();
  expect(fixture.domain.lookUp(session, alice)).toMatchObject({ found: 'session', session: { lifecycle: 'active' } });
  expect(fixture.domain.counts()).toMatchObject({ active: 1, tombstones: 0 });
});

test('the victim is the least recently accessed Closed Session, not the first closed', async () => {
  const fixture = sessionsFixture({ historicalSessionRetentionLimit: 2 });
  const [a, b, c] = [await fixture.begin(), await fixture.begin(), await fixture.begin()];
  await fixture.close(a);
  await fixture.close(b);
  await fixture.call('read_session_summary', { session_id: a });
  // Another principal's look-up is no access of the owner's.
  fixture.domain.lookUp(b, bob);
  await fixture.close(c);
  expect(fixture.domain.lookUp(b, alice)).toEqual({ found: 'expired', sessionId: b });
  expect(fixture.domain.lookUp(a, alice).found).toBe('session');
});

test('a start with a lower limit removes what is too much, and no Active Session', async () => {
  const fixture = sessionsFixture();
  const sessions: SessionId[] = [];
  for (let count = 0; count < 5; count += 1) {
    fixture.time += 1;
    sessions.push(await fixture.begin());
  }
  for (const session of sessions.slice(0, 4)) await fixture.close(session);
  await fixture.restart({ historicalSessionRetentionLimit: 1 });
  expect(fixture.status()).toMatchObject({ restored_sessions: 2, active_sessions: 1, closed_sessions: 1, retention_tombstones: 1, capacity_evictions: 3 });
});

test('a Session is not removed while a pair of its evidence is open', async () => {
  const fixture = sessionsFixture({ historicalSessionRetentionLimit: 0 });
  const session = await fixture.begin();
  const pair = fixture.domain.openPair(session, evidenceStart({ role: 'recorder' }));
  await fixture.close(session);
  expect(fixture.domain.counts()).toMatchObject({ retained: 1, closed: 1 });
  await fixture.domain.closePair(pair, evidenceEnd());
  expect(fixture.domain.counts()).toMatchObject({ retained: 0, closed: 0 });
});

test('closing twice in one turn closes once', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  const answers = await Promise.all([fixture.close(session), fixture.close(session)]);
  expect(answers.map((answer) => answer.output['already_closed'])).toEqual([false, true]);
  const kinds = fixture.domain.snapshot(session)?.events.map((event) => event.kind);
  expect(kinds).toEqual(['task_instruction', 'session_closed']);
  expect(fixture.domain.snapshot(session)?.events.at(-1)).toMatchObject({ transport: 'system', tool_name: 'close_session' });
});

test('an id that a tombstone or a live Session holds is not given out again', async () => {
  const given = [1, 2, 1, 2, 3];
  const fixture = sessionsFixture({ historicalSessionRetentionLimit: 1 }, (size) =>
    Buffer.alloc(size, size === 12 ? (given.shift() ?? 9) : Math.floor(Math.random() * 256)),
  );
  const [a, b] = [await fixture.begin(), await fixture.begin()];
  await fixture.close(a);
  await fixture.close(b);
  const c = await fixture.begin();
  expect(new Set([a, b, c]).size).toBe(3);
});
