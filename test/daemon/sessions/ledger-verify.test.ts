import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/protocol/ids.js';
import { eventDigest } from '../../../src/daemon/sessions/event-chain.js';
import type { EventBody } from '../../../src/daemon/sessions/event-body.js';
import { ledgerMessage, ledgerSession, imported } from './ledger-rows-fixture.js';
import { ALICE, alice, sessionsFixture, type SessionsFixture } from './sessions-fixture.js';

async function told(pairs = 3): Promise<{ readonly fixture: SessionsFixture; readonly session: SessionId }> {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  for (let pair = 0; pair < pairs; pair += 1) await fixture.pair(session);
  await fixture.begin({ title: 'another' });
  return { fixture, session };
}

/** What somebody does who holds the file, and knows SQL. */
function tamper(fixture: SessionsFixture, statement: string, ...values: unknown[]): void {
  fixture.database.pragma('foreign_keys = OFF');
  fixture.database.prepare(statement).run(...values);
  fixture.database.pragma('foreign_keys = ON');
}

/** The same who also computes every digest anew. */
function recompute(fixture: SessionsFixture, session: SessionId): void {
  const { database } = fixture;
  const head = database
    .prepare<[string], { number: number; digest: Buffer }>(
      'SELECT session_number AS number, chain_anchor AS digest FROM sessions WHERE session_id = ?',
    )
    .get(session);
  if (head === undefined) throw new Error('no such Session');
  let digest = head.digest;
  for (const row of database
    .prepare<[number], EventBody & { sequence: number }>('SELECT * FROM session_events WHERE session_number = ? ORDER BY sequence')
    .all(head.number)) {
    digest = eventDigest(digest, session, row.sequence, row);
    database.prepare('UPDATE session_events SET digest = ? WHERE session_number = ? AND sequence = ?').run(digest, head.number, row.sequence);
  }
  database.prepare('UPDATE sessions SET chain_head = ? WHERE session_number = ?').run(digest, head.number);
}

test('a ledger that nobody touched is sound, and says how much was looked at', async () => {
  const { fixture } = await told();
  const progress: number[] = [];
  const verification = await fixture.domain.verifyLedger({ onProgress: ({ sessions }) => progress.push(sessions) });
  expect(verification).toEqual({
    sound: true,
    sessionsChecked: 2,
    eventsChecked: 8,
    messagesChecked: 0,
    tombstonesChecked: 0,
    findings: [],
    findingsTotal: 0,
    anchor: null,
  });
  expect(progress).toEqual([1, 2]);
});

test.each([
  ['an event that was edited', "UPDATE session_events SET body = replace(body, 'read_files', 'list_files') WHERE session_number = 1 AND sequence = 3", 'event_changed', 3],
  ['an event of another kind', "UPDATE session_events SET kind = 'session_closed' WHERE session_number = 1 AND sequence = 2", 'event_changed', 2],
  ['an event that was taken out', 'DELETE FROM session_events WHERE session_number = 1 AND sequence = 4', 'event_missing', 4],
  ['the newest events cut off', 'DELETE FROM session_events WHERE session_number = 1 AND sequence >= 5', 'tail_cut', 5],
  ['the oldest event cut off', 'DELETE FROM session_events WHERE session_number = 1 AND sequence = 0', 'tail_cut', 0],
  ['the newest cut off, and the count with them', 'UPDATE sessions SET events_observed = 5 WHERE session_number = 1', 'counts_mismatch', 5],
  ['a count that is too high', 'UPDATE sessions SET events_observed = 9 WHERE session_number = 1', 'tail_cut', 7],
  ['a first retained event that was moved', 'UPDATE sessions SET first_retained_sequence = 2 WHERE session_number = 1', 'counts_mismatch', 0],
  ['a head digest that was edited', "UPDATE sessions SET chain_head = zeroblob(32) WHERE session_number = 1", 'chain_broken', null],
  ['a Session that was given another owner', `UPDATE sessions SET owner_authority_fingerprint = '${'b'.repeat(64)}' WHERE session_number = 1`, 'chain_broken', null],
  ['an event without its digest', 'UPDATE session_events SET digest = NULL WHERE session_number = 1 AND sequence = 6', 'event_changed', 6],
] as const)('%s is found by itself', async (_what, statement, kind, sequence) => {
  const { fixture, session } = await told();
  tamper(fixture, statement);
  const verification = await fixture.domain.verifyLedger();
  expect(verification.sound).toBe(false);
  expect(verification.findings).toMatchObject([{ kind, sessionId: session, sequence }]);
});

test('two events that changed places are found where the first of them stands', async () => {
  const { fixture, session } = await told();
  tamper(fixture, 'UPDATE session_events SET sequence = -1 WHERE session_number = 1 AND sequence = 3');
  tamper(fixture, 'UPDATE session_events SET sequence = 3 WHERE session_number = 1 AND sequence = 4');
  tamper(fixture, 'UPDATE session_events SET sequence = 4 WHERE session_number = 1 AND sequence = -1');
  expect((await fixture.domain.verifyLedger()).findings).toMatchObject([{ kind: 'event_changed', sessionId: session, sequence: 3 }]);
});

test('a bit-flipped event is named, kept and refused, and never written over', async () => {
  const { fixture, session } = await told();
  tamper(fixture, 'UPDATE session_events SET body = substr(body, 1, 20) WHERE session_number = 1 AND sequence = 1');
  await fixture.restart();
  const verification = await fixture.domain.verifyLedger();
  expect(verification.findings).toMatchObject([
    { kind: 'row_unreadable', sessionId: session, sequence: 1 },
    { kind: 'event_changed', sessionId: session, sequence: 1 },
  ]);
  const answer = await fixture.call('read_session_summary', { session_id: session });
  expect(answer).toMatchObject({ success: false, output: { error_kind: 'storage_unavailable' } });
  await fixture.pair(session);
  expect(fixture.database.prepare('SELECT length(body) FROM session_events WHERE session_number = 1 AND sequence = 1').pluck().get()).toBe(20);
});

test('a row that a restore would drop is said with its reason', async () => {
  const { fixture, session } = await told();
  tamper(fixture, 'UPDATE sessions SET updated_at = created_at - 1 WHERE session_number = 1');
  expect((await fixture.domain.verifyLedger()).findings).toMatchObject([
    { kind: 'restore_would_drop', sessionId: session, message: 'updated_before_created at updated_at' },
  ]);
});

test('an event that a restore would change is said with its reason', async () => {
  const { fixture, session } = await told();
  tamper(fixture, 'UPDATE session_events SET body = replace(body, \'"cli"\', ?) WHERE session_number = 1 AND sequence = 2', JSON.stringify('x'.repeat(300)));
  expect((await fixture.domain.verifyLedger()).findings).toMatchObject([
    { kind: 'restore_would_drop', sessionId: session, sequence: 2, message: 'text_bounded_or_redacted' },
    { kind: 'event_changed', sessionId: session, sequence: 2 },
  ]);
});

test('rows that belong to no Session are found in every table', async () => {
  const { fixture } = await told();
  tamper(fixture, "INSERT INTO session_events (session_number, sequence, kind, body) VALUES (77, 0, 'session_closed', '{}')");
  tamper(fixture, "INSERT INTO session_validation_jobs VALUES (78, 0, 'job_1')");
  const { findings } = await fixture.domain.verifyLedger();
  expect(findings).toMatchObject([
    { kind: 'orphan_rows', sessionId: null, message: expect.stringContaining('row 77') as string },
    { kind: 'orphan_rows', sessionId: null, message: expect.stringContaining('row 78') as string },
  ]);
});

test('a tombstone of a live Session, and one that is none, are found', async () => {
  const { fixture, session } = await told();
  tamper(fixture, 'INSERT INTO session_tombstones VALUES (?, ?, ?, 3)', session, ALICE, 'c'.repeat(64));
  tamper(fixture, 'INSERT INTO session_tombstones VALUES (?, ?, ?, 4)', 'wc_sess_BBBBBBBBBBBBBBBB', 'nobody', 'c'.repeat(64));
  expect((await fixture.domain.verifyLedger()).findings).toMatchObject([
    { kind: 'restore_would_drop', sessionId: session },
    { kind: 'row_unreadable', sessionId: 'wc_sess_BBBBBBBBBBBBBBBB' },
  ]);
});

test('messages are judged too', async () => {
  const fixture = sessionsFixture();
  const id = 'wc_sess_AAAAAAAAAAAAAAAA';
  await imported(fixture.domain, { sessions: [ledgerSession(id, { messages: [ledgerMessage(id, 'wc_msg_aaaaaaaaaaaaaaaa')], board: { ...ledgerSession(id).board, observationRevision: 1 } })] });
  expect(await fixture.domain.verifyLedger()).toMatchObject({ sound: true, messagesChecked: 1 });
  tamper(fixture, "UPDATE session_messages SET kind = 'rumour'");
  expect((await fixture.domain.verifyLedger()).findings).toMatchObject([{ kind: 'row_unreadable', sessionId: id }]);
});

test('what goes on while a ledger is verified is no finding', async () => {
  const fixture = sessionsFixture({ eventsPerSession: 300, historicalSessionRetentionLimit: 0 });
  const [busy, closing] = [await fixture.begin(), await fixture.begin()];
  for (let pair = 0; pair < 200; pair += 1) await fixture.pair(busy);
  for (let pair = 0; pair < 150; pair += 1) await fixture.pair(closing);
  const state = { over: false };
  const verifying = fixture.domain.verifyLedger().finally(() => (state.over = true));
  let written = 0;
  await fixture.close(closing);
  while (!state.over) {
    await fixture.pair(busy);
    written += 1;
  }
  expect(await verifying).toMatchObject({ sound: true, findings: [] });
  expect(written).toBeGreaterThan(1);
});

test('a verification that is called off ends with the reason', async () => {
  const { fixture } = await told();
  const called = AbortSignal.abort(new Error('called off'));
  await expect(fixture.domain.verifyLedger({ signal: called })).rejects.toThrow('called off');
});

test('an anchor proves later that the history is still contained', async () => {
  const { fixture, session } = await told();
  const anchor = await fixture.domain.anchorLedger();
  expect(anchor).toMatchObject({ madeAt: fixture.time, sessions: 2 });
  expect(anchor.line).toMatch(/^wc-ledger-anchor:1:1800000000:2:[0-9a-f]{64}$/);
  await fixture.pair(session);
  await fixture.restart();
  expect(await fixture.domain.verifyLedger({ anchor: anchor.line })).toMatchObject({
    sound: true,
    anchor: { status: 'contained', madeAt: fixture.time, proven: 2, evicted: 0, expired: 0, gone: 0, contradicted: 0 },
  });
});

test('a chain that was computed anew after a change is sound by itself, and contradicts the anchor', async () => {
  const { fixture, session } = await told();
  const { line } = await fixture.domain.anchorLedger();
  tamper(fixture, "UPDATE session_events SET body = replace(body, 'read_files', 'list_files') WHERE session_number = 1 AND sequence = 3");
  recompute(fixture, session);
  await fixture.restart();
  expect(await fixture.domain.verifyLedger()).toMatchObject({ sound: true });
  expect(await fixture.domain.verifyLedger({ anchor: line })).toMatchObject({
    sound: false,
    findings: [{ kind: 'anchor_mismatch', sessionId: session, sequence: 6 }],
    anchor: { status: 'contradicted', proven: 1, contradicted: 1 },
  });
});

test('a tail that was cut with its count and its digest contradicts the anchor', async () => {
  const { fixture, session } = await told();
  const { line } = await fixture.domain.anchorLedger();
  tamper(fixture, 'DELETE FROM session_events WHERE session_number = 1 AND sequence >= 5');
  tamper(fixture, 'UPDATE sessions SET events_observed = 5 WHERE session_number = 1');
  recompute(fixture, session);
  await fixture.restart();
  expect(await fixture.domain.verifyLedger()).toMatchObject({ sound: true });
  expect((await fixture.domain.verifyLedger({ anchor: line })).findings).toMatchObject([
    { kind: 'anchor_mismatch', sessionId: session, message: 'it had 7 events when the anchor was made, and does not show them' },
  ]);
});

test('a Session that was removed by hand contradicts the anchor', async () => {
  const { fixture, session } = await told();
  const { line } = await fixture.domain.anchorLedger();
  fixture.database.prepare('DELETE FROM sessions WHERE session_number = 1').run();
  await fixture.restart();
  expect(await fixture.domain.verifyLedger()).toMatchObject({ sound: true });
  expect((await fixture.domain.verifyLedger({ anchor: line })).findings).toMatchObject([{ kind: 'anchor_mismatch', sessionId: session }]);
});

test('what was evicted or expired since can no longer be proven, and is counted as that', async () => {
  const fixture = sessionsFixture({ eventsPerSession: 4, historicalSessionRetentionLimit: 1 });
  const [moved, expired, gone] = [await fixture.begin(), await fixture.begin(), await fixture.begin()];
  const kept = await fixture.begin();
  const { line } = await fixture.domain.anchorLedger();
  for (let pair = 0; pair < 3; pair += 1) await fixture.pair(moved);
  await fixture.close(gone);
  await fixture.close(expired);
  await fixture.close(await fixture.begin());
  expect(fixture.domain.lookUp(gone, alice)).toEqual({ found: 'nothing' });
  expect(fixture.domain.lookUp(expired, alice)).toMatchObject({ found: 'expired' });
  expect(await fixture.domain.verifyLedger({ anchor: line })).toMatchObject({
    sound: true,
    findings: [],
    anchor: { status: 'contained', proven: 1, evicted: 1, expired: 1, gone: 1, contradicted: 0 },
  });
  expect(fixture.domain.lookUp(kept, alice)).toMatchObject({ found: 'session' });
});

test('the digest before the tail still decides when exactly that event was evicted last', async () => {
  const fixture = sessionsFixture({ eventsPerSession: 4 });
  const session = await fixture.begin();
  await fixture.pair(session);
  const { line } = await fixture.domain.anchorLedger();
  await fixture.pair(session);
  await fixture.pair(session);
  expect(fixture.domain.snapshot(session)).toMatchObject({ firstRetainedSequence: 3, eventsObserved: 7 });
  expect((await fixture.domain.verifyLedger({ anchor: line })).anchor).toMatchObject({ status: 'contained', proven: 1, evicted: 0 });
});

test('a line that is none, and an anchor that is not kept here, prove nothing', async () => {
  const { fixture } = await told();
  const { line } = await fixture.domain.anchorLedger();
  for (const other of ['a line', line.replace(/.$/, (last) => (last === '0' ? '1' : '0'))]) {
    expect(await fixture.domain.verifyLedger({ anchor: other })).toMatchObject({ sound: false, anchor: { status: 'unknown' } });
  }
});

test('a stored list that was edited contradicts its line', async () => {
  const { fixture } = await told();
  const { line } = await fixture.domain.anchorLedger();
  tamper(fixture, "UPDATE ledger_anchors SET entries = replace(entries, ' 7 ', ' 6 ')");
  expect(await fixture.domain.verifyLedger({ anchor: line })).toMatchObject({
    sound: false,
    findings: [{ kind: 'anchor_mismatch', sessionId: null }],
    anchor: { status: 'contradicted' },
  });
});

test('sixteen anchors are kept, the newest', async () => {
  const { fixture } = await told(0);
  const lines: string[] = [];
  for (let made = 0; made < 18; made += 1) {
    fixture.time += 1;
    lines.push((await fixture.domain.anchorLedger()).line);
  }
  expect(fixture.domain.ledgerStats().anchors).toBe(16);
  expect((await fixture.domain.verifyLedger({ anchor: lines[1] as string })).anchor?.status).toBe('unknown');
  expect((await fixture.domain.verifyLedger({ anchor: lines[2] as string })).anchor?.status).toBe('contained');
});
