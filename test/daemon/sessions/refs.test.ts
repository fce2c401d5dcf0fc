import { expect, test } from 'vitest';
import { alice, bob, sessionsFixture } from './sessions-fixture.js';

const unknown = { failure: { output: { error_kind: 'unknown_session_ref', recovery_kind: 'fix_input' } } };

test('refs count up per principal, stay the same, and survive a restart', async () => {
  const fixture = sessionsFixture();
  const [a, b] = [await fixture.begin(), await fixture.begin()];
  const ofBob = await fixture.begin({ owner: bob });
  expect(fixture.domain.refFor(a, alice)).toBe('~s1');
  expect(fixture.domain.refFor(b, alice)).toBe('~s2');
  expect(fixture.domain.refFor(ofBob, bob)).toBe('~s1');
  await fixture.restart();
  expect(fixture.domain.refFor(a, alice)).toBe('~s1');
  expect(fixture.domain.resolveSelector('~s2', alice)).toEqual({ resolved: b });
  expect(fixture.domain.resolveSelector('~s1', bob)).toEqual({ resolved: ofBob });
});

test('[01-A6] malformed and never issued refs look alike; other malformed ids are left to the tool', async () => {
  const fixture = sessionsFixture();
  await fixture.begin();
  const answers = ['~s9999', '~sbad', '~s0', '~s01', '~s1x', '~s', '~s9223372036854775808', '~s9007199254740993'].map((raw) =>
    fixture.domain.resolveSelector(raw, alice),
  );
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect(answers[0]).toMatchObject(unknown);
  expect(fixture.domain.resolveSelector('nonsense', alice)).toEqual({ malformed: 'nonsense' });
  expect((await fixture.call('read_session_summary', { session_id: '~sbad' })).output['error_kind']).toBe('unknown_session_ref');
  expect((await fixture.call('read_session_summary', { session_id: 'wc_sess_NeverNeverNever_' })).output['error_kind']).toBe('unknown_session_id');
});

test("[01-A7] another principal's ref is unknown, and her live id denied", async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  const ref = fixture.domain.refFor(session, alice) as string;
  expect(fixture.domain.resolveSelector(ref, bob)).toMatchObject(unknown);
  expect(fixture.domain.refFor(session, bob)).toBeNull();
  const answer = await fixture.call('read_session_summary', { session_id: session }, { principal: bob });
  expect(answer.output['error_kind']).toBe('session_authority_denied');
});

test('a ref that is pinned to another incarnation does not resolve', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  const ref = fixture.domain.refFor(session, alice) as string;
  fixture.database.prepare('UPDATE sessions SET created_at = created_at - 1').run();
  await fixture.restart();
  expect(fixture.domain.resolveSelector(ref, alice)).toMatchObject(unknown);
  // The same id in another life gets a number of its own.
  expect(fixture.domain.refFor(session, alice)).toBe('~s2');
});

test('a Closed Session keeps its ref, and a number that was used is never issued again', async () => {
  const fixture = sessionsFixture({ historicalSessionRetentionLimit: 0 });
  const session = await fixture.begin();
  expect(fixture.domain.refFor(session, alice)).toBe('~s1');
  await fixture.close(session);
  const next = await fixture.begin();
  expect(fixture.domain.refFor(next, alice)).toBe('~s2');
  expect(fixture.database.prepare('SELECT count(*) FROM session_refs').pluck().get()).toBe(1);
  await fixture.restart({ historicalSessionRetentionLimit: 5 });
  await fixture.close(next);
  expect(fixture.domain.resolveSelector('~s2', alice)).toEqual({ resolved: next });
  expect(await fixture.call('close_session', { session_id: '~s2' })).toMatchObject({ output: { already_closed: true } });
});

test('two Sessions that ask for refs in one turn get two', async () => {
  const fixture = sessionsFixture();
  const [a, b] = [await fixture.begin(), await fixture.begin()];
  expect([fixture.domain.refFor(a, alice), fixture.domain.refFor(b, alice), fixture.domain.refFor(a, alice)]).toEqual(['~s1', '~s2', '~s1']);
});
