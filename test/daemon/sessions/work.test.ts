import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/protocol/ids.js';
import type { SessionSnapshot } from '../../../src/daemon/sessions/index.js';
import { alice, DEMO, sessionsFixture, type SessionsFixture } from './sessions-fixture.js';

const instruction = { instruction: 'go on', transport: 'cli' as const };

function snapshot(fixture: SessionsFixture, session: SessionId): SessionSnapshot {
  const taken = fixture.domain.snapshot(session);
  if (taken === null) throw new Error('not retained');
  return taken;
}

test('[01-A1] work begun twice is two Sessions', async () => {
  const fixture = sessionsFixture();
  const [one, two] = [await fixture.begin({ title: 'do it' }), await fixture.begin({ title: 'do it' })];
  expect(one).not.toBe(two);
  expect(snapshot(fixture, one)).toMatchObject({ session: { title: 'do it', mode: 'normal' }, eventsObserved: 1 });
});

test('[01-A2] a resume keeps id and title and appends one task_instruction', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin({ title: 'first' });
  const begun = await fixture.domain.resumeWork({ sessionId: session, mayUpgrade: true, contextRefreshed: true, ...instruction });
  expect(begun).toMatchObject({ session: { sessionId: session, title: 'first' }, capabilityChanged: false });
  const { events } = snapshot(fixture, session);
  expect(events.map((event) => event.instruction)).toEqual(['first', 'go on']);
  expect(events[1]).toMatchObject({
    kind: 'task_instruction',
    requested_mode: 'normal',
    previous_mode: 'normal',
    previous_guards: { deny_write_tools: false, deny_shell_tools: false },
    capability_changed: false,
    context_refreshed: true,
  });
  expect('instructionEvent' in begun && begun.instructionEvent).toBe(events[1]?.event_id);
});

test('[01-A8] a Closed Session is not resumed', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  await fixture.close(session);
  expect(await fixture.domain.resumeWork({ sessionId: session, mayUpgrade: true, ...instruction })).toMatchObject({
    failure: { output: { error_kind: 'session_closed', session_id: session, state_changed: false } },
  });
  expect(fixture.domain.counts().active).toBe(0);
  expect(snapshot(fixture, session).eventsObserved).toBe(2);
});

test('[01-A28] read_only becomes normal with project:write only', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin({ mode: 'read_only' });
  expect(await fixture.domain.resumeWork({ sessionId: session, mayUpgrade: false, ...instruction })).toMatchObject({
    failure: { output: { error_kind: 'session_capability_upgrade_denied', missing_scope: 'project:write' } },
  });
  expect(snapshot(fixture, session).eventsObserved).toBe(1);
  const begun = await fixture.domain.resumeWork({ sessionId: session, mayUpgrade: true, ...instruction });
  expect(begun).toMatchObject({ session: { mode: 'normal', guards: { deny_write_tools: false } }, capabilityChanged: true });
  expect(snapshot(fixture, session).events.at(-1)).toMatchObject({ previous_mode: 'read_only', capability_changed: true });
  await fixture.restart();
  expect(snapshot(fixture, session).session.mode).toBe('normal');
});

test('[01-A32] a fault before the commit leaves neither Session nor instruction; the retry leaves one of each', async () => {
  const fixture = sessionsFixture();
  fixture.database.exec("CREATE TRIGGER full BEFORE INSERT ON session_events BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  const work = { project: DEMO, title: 't', owner: alice, ...instruction };
  expect(await fixture.domain.createWork(work)).toMatchObject({
    failure: { output: { error_kind: 'coding_continuity_commit_failed', recovery_kind: 'retry_same', state_changed: false } },
  });
  expect(fixture.domain.counts()).toMatchObject({ retained: 0, hot: 0 });
  expect(fixture.database.prepare('SELECT count(*) FROM sessions').pluck().get()).toBe(0);
  expect(fixture.status()['last_persist_error']).toMatch(/^persist_failed: .*disk full/);

  fixture.database.exec('DROP TRIGGER full');
  const begun = await fixture.domain.createWork(work);
  expect(begun).toMatchObject({ session: { lifecycle: 'active' } });
  expect(fixture.domain.counts()).toMatchObject({ retained: 1, hot: 1 });
  expect(fixture.database.prepare('SELECT count(*) FROM session_events').pluck().get()).toBe(1);
  expect(fixture.status()['last_persist_error']).toBeNull();
});

test('a failed resume leaves the Session as it was, in memory and on disk', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin({ mode: 'read_only' });
  const before = snapshot(fixture, session);
  fixture.database.exec("CREATE TRIGGER full BEFORE UPDATE ON sessions BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  const answer = await fixture.domain.resumeWork({ sessionId: session, mayUpgrade: true, ...instruction });
  expect(answer).toMatchObject({ failure: { output: { error_kind: 'coding_continuity_commit_failed' } } });
  fixture.database.exec('DROP TRIGGER full');
  expect(snapshot(fixture, session)).toEqual(before);
});

test('instructions out of bounds begin nothing', async () => {
  const fixture = sessionsFixture();
  const work = { project: DEMO, title: 't', owner: alice, transport: 'cli' as const };
  for (const text of ['', '  ', 'x'.repeat(4_001)]) {
    expect(await fixture.domain.createWork({ ...work, instruction: text })).toMatchObject({
      failure: { output: { error_kind: 'invalid_coding_instruction' } },
    });
  }
  expect(fixture.domain.counts().retained).toBe(0);
});

test('nobody without a stable identity owns a Session', async () => {
  const fixture = sessionsFixture();
  const stranger = { ...alice, authority: null, fingerprint: null };
  expect(await fixture.domain.createWork({ project: DEMO, title: 't', owner: stranger, ...instruction })).toMatchObject({
    failure: { output: { error_kind: 'session_authority_identity_unavailable' } },
  });
  const anonymous = { ...alice, authority: { kind: 'anonymous' as const, stableId: 'open' } };
  expect((await fixture.call('start_session', {}, { principal: anonymous })).output['error_kind']).toBe('session_owner_identity_unavailable');
});

test('ids that all collide are a failure that changed nothing', async () => {
  const fixture = sessionsFixture({}, (size) => Buffer.alloc(size, 7));
  await fixture.begin();
  expect(await fixture.domain.createWork({ project: DEMO, title: 't', owner: alice, ...instruction })).toMatchObject({
    failure: { output: { error_kind: 'session_id_allocation_exhausted', recovery_kind: 'retry_same', state_changed: false } },
  });
  expect(fixture.domain.counts().retained).toBe(1);
});

test('the baseline tree is kept from the beginning', async () => {
  const fixture = sessionsFixture();
  const begun = await fixture.domain.createWork({ project: DEMO, title: 't', owner: alice, gitBaselineTree: 'a'.repeat(40), ...instruction });
  if ('failure' in begun) throw new Error('refused');
  await fixture.restart();
  expect(snapshot(fixture, begun.session.sessionId).gitBaselineTree).toBe('a'.repeat(40));
});
