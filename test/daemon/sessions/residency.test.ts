import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/protocol/ids.js';
import { alice, evidenceEnd, evidenceStart, sessionsFixture } from './sessions-fixture.js';

test('[01-A21] hot target 0, four Active: all readable, at most one hot', async () => {
  const fixture = sessionsFixture({ hotSessionCapacityTarget: 0 });
  const sessions = [];
  for (let count = 0; count < 4; count += 1) sessions.push(await fixture.begin({ title: `task ${count}` }));
  for (const [index, session] of sessions.entries()) {
    await fixture.pair(session);
    expect(fixture.domain.lookUp(session, alice)).toMatchObject({ found: 'session', session: { title: `task ${index}` } });
    expect(fixture.domain.counts().hot).toBeLessThanOrEqual(1);
  }
  expect(fixture.domain.counts()).toMatchObject({ retained: 4, active: 4 });
});

test('[01-A22] a restart starts cold; a read warms nothing, an append one Session', async () => {
  const fixture = sessionsFixture();
  const sessions: SessionId[] = [];
  for (let count = 0; count < 5; count += 1) sessions.push(await fixture.begin());
  for (const session of sessions.slice(3)) await fixture.close(session);
  await fixture.restart();
  expect(fixture.domain.counts()).toEqual({ retained: 5, active: 3, closed: 2, hot: 0, cold: 5, tombstones: 0 });
  expect(fixture.status()).toMatchObject({ restored_sessions: 5, hot_sessions: 0, cold_sessions: 5 });
  await fixture.call('read_session_summary', { session_id: sessions[0] });
  fixture.domain.snapshot(sessions[1] as SessionId);
  expect(fixture.domain.counts().hot).toBe(0);
  await fixture.pair(sessions[0] as SessionId);
  expect(fixture.domain.counts()).toMatchObject({ hot: 1, cold: 4 });
});

test('cold and hot say the same of a Session', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin({ title: 'keep all of it', mode: 'read_only' });
  await fixture.pair(session);
  const hot = fixture.domain.snapshot(session);
  await fixture.restart();
  expect(fixture.domain.snapshot(session)).toEqual(hot);
});

test('the least recently accessed hot Session is demoted first', async () => {
  const fixture = sessionsFixture({ hotSessionCapacityTarget: 2 });
  const [a, b] = [await fixture.begin(), await fixture.begin()];
  fixture.domain.lookUp(a, alice);
  await fixture.begin();
  expect(fixture.domain.counts().hot).toBe(2);
  // What is hot answers without the disk: only `a` still does after its row was hidden.
  fixture.database.prepare("UPDATE sessions SET session_id = 'x' || session_id").run();
  expect(fixture.domain.lookUp(a, alice).found).toBe('session');
  expect(fixture.domain.lookUp(b, alice).found).toBe('nothing');
});

test('a row that breaks its rules is no Session, is counted, and is not written over', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  fixture.database.prepare("UPDATE sessions SET execution_context = '{\"inspect\":true}'").run();
  await fixture.restart();
  expect(fixture.domain.lookUp(session, alice)).toEqual({ found: 'nothing' });
  const pair = fixture.domain.openPair(session, evidenceStart());
  await expect(fixture.domain.closePair(pair, evidenceEnd())).rejects.toThrow('not retained');
  expect(fixture.status()).toMatchObject({ unreadable_rows: 1 });
  expect(fixture.database.prepare('SELECT events_observed FROM sessions').pluck().get()).toBe(1);
});
