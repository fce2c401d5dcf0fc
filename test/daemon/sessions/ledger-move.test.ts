import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { ImportFlag, ImportRemoval } from '../../../src/daemon/sessions/half-import.js';
import { SessionStore } from '../../../src/daemon/sessions/store.js';
import { CommitQueue } from '../../../src/daemon/storage/commit-queue.js';
import type { JobId, MessageId, SessionId } from '../../../src/protocol/ids.js';
import { exported, imported, ledgerMessage, ledgerSession } from './ledger-rows-fixture.js';
import { alice, bob, DEMO, sessionsFixture, type SessionsFixture } from './sessions-fixture.js';

const [A, B, C] = ['wc_sess_AAAAAAAAAAAAAAAA', 'wc_sess_BBBBBBBBBBBBBBBB', 'wc_sess_CCCCCCCCCCCCCCCC'] as SessionId[] as [SessionId, SessionId, SessionId];
const DIGEST = 'd'.repeat(64);

/** Two Active Sessions with calls, one Closed, one expired. */
async function history(fixture: SessionsFixture): Promise<SessionId[]> {
  const sessions = [];
  for (let count = 0; count < 4; count += 1) {
    fixture.time += 1;
    sessions.push(await fixture.begin({ title: `task ${count}` }));
  }
  for (const session of sessions) await fixture.pair(session);
  for (const session of sessions.slice(2)) {
    fixture.time += 1;
    await fixture.close(session);
  }
  return sessions;
}

test('an export is the ledger in access order, then its tombstones', async () => {
  const fixture = sessionsFixture({ historicalSessionRetentionLimit: 1 });
  const [a, b, c, d] = (await history(fixture)) as [SessionId, SessionId, SessionId, SessionId];
  fixture.domain.lookUp(a, alice);
  const { sessions, tombstones, unreadable } = await exported(fixture.domain);
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual([b, d, a]);
  expect(tombstones).toMatchObject([{ sessionId: c, expiryOrdinal: 1 }]);
  expect(unreadable).toEqual([]);
  expect(sessions[2]).toMatchObject({ title: 'task 0', eventsObserved: 3, lifecycle: 'active', chain: { origin: 'created', start: 0 } });
  expect(sessions[2]?.events).toEqual(fixture.domain.snapshot(a)?.events);
  expect(fixture.domain.exportSession(a)).toEqual(sessions[2]);
});

test('an export is of one moment, holds no reader on the ledger, and leaves nothing behind', async () => {
  const fixture = sessionsFixture();
  const sessions = await history(fixture);
  const snapshot = await fixture.domain.exportLedger();
  for (const session of sessions.slice(0, 2)) await fixture.pair(session);
  await fixture.begin();
  expect(fixture.database.pragma('wal_checkpoint(TRUNCATE)')).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
  expect(readdirSync(fixture.folder).filter((name) => name.includes('snapshot'))).toEqual([]);
  const observed: number[] = [];
  for await (const part of snapshot.parts()) if ('session' in part) observed.push(part.session.eventsObserved);
  snapshot.close();
  expect(observed.sort()).toEqual([3, 3, 4, 4]);
});

test('a copy that a crash left is removed at the start', async () => {
  const fixture = sessionsFixture();
  const left = join(fixture.folder, 'ledger.db.snapshot-0123456789abcdef');
  writeFileSync(left, 'half');
  await fixture.restart();
  expect(existsSync(left)).toBe(false);
});

test('a Session that cannot be read is named by an export, and left alone', async () => {
  const fixture = sessionsFixture();
  const [a] = await history(fixture);
  fixture.database.prepare("UPDATE session_events SET body = '{' WHERE session_number = 1 AND sequence = 1").run();
  const { sessions, unreadable } = await exported(fixture.domain);
  expect(unreadable).toEqual([a]);
  expect(sessions).toHaveLength(3);
  expect(fixture.domain.exportSession(a as SessionId)).toBeNull();
});

test('export, wipe, import with its chains, export: the same rows in the same order, and a sound ledger', async () => {
  const from = sessionsFixture({ historicalSessionRetentionLimit: 1 });
  const [a] = await history(from);
  from.domain.lookUp(a as SessionId, alice);
  const first = await exported(from.domain);
  const to = sessionsFixture({ historicalSessionRetentionLimit: 1 });
  await imported(to.domain, first);
  expect(await exported(to.domain)).toEqual(first);
  expect(await to.domain.verifyLedger()).toMatchObject({ sound: true });
  await to.pair(a as SessionId);
  expect(await to.domain.verifyLedger()).toMatchObject({ sound: true });
});

test('without its chain a Session begins a new one, which binds the digest of the document', async () => {
  const from = sessionsFixture({ eventsPerSession: 4 });
  const session = await from.begin();
  for (let pair = 0; pair < 3; pair += 1) await from.pair(session);
  const { sessions } = await exported(from.domain);
  const to = sessionsFixture();
  await imported(to.domain, { sessions: sessions.map((row) => ({ ...row, chain: null })) }, DIGEST);
  expect(to.domain.exportSession(session)?.chain).toMatchObject({ origin: 'imported', documentDigest: DIGEST, start: 3 });
  expect(await to.domain.verifyLedger()).toMatchObject({ sound: true });
  to.database.prepare('UPDATE sessions SET chain_document_digest = ?').run('e'.repeat(64));
  expect((await to.domain.verifyLedger()).findings).toMatchObject([{ kind: 'chain_broken' }]);
});

test('a chain that the events do not follow is refused, and nothing of its Session is written', async () => {
  const from = sessionsFixture();
  const session = await from.begin();
  await from.pair(session);
  const row = from.domain.exportSession(session);
  if (row?.chain === null || row === null) throw new Error('no chain');
  const to = sessionsFixture();
  const begun = await to.domain.beginImport({ documentDigest: DIGEST });
  if ('refused' in begun) throw new Error('refused');
  const [first, ...rest] = row.events;
  const edited = { ...row, events: [{ ...first, tool_name: 'other' } as typeof first & object, ...rest] };
  expect(await begun.add(edited)).toBe('chain_mismatch');
  expect(await begun.add({ ...row, chain: { ...row.chain, anchor: 'e'.repeat(64) } })).toBe('chain_mismatch');
  expect(await begun.add(row)).toBe('added');
  expect(await begun.add(row)).toBe('duplicate');
  await begun.abandon();
  expect(to.domain.counts().retained).toBe(0);
});

test('every member of a board comes back', async () => {
  const fixture = sessionsFixture();
  const [todo, answer, note] = ['wc_msg_aaaaaaaaaaaaaaaa', 'wc_msg_bbbbbbbbbbbbbbbb', 'wc_msg_cccccccccccccccc'] as MessageId[];
  const session = ledgerSession(A, {
    messages: [
      ledgerMessage(A, todo as string, {
        kind: 'todo', status: 'resolved', priority: 'high', tags: ['parser', 'now'], resolved_at: 1_700_000_009, resolution: 'done',
        resolved_by_message_id: answer as string, completion_id: 'f'.repeat(64), requires_ack: true, first_ack_observed_at: 1_700_000_005,
      }, 4),
      ledgerMessage(A, answer as string, { kind: 'answer', reply_to: todo as string, author_session_id: B }, 5),
      ledgerMessage(A, note as string, { status: 'resolved', closure_kind: 'superseded', superseded_by_message_id: answer as string, supersedes_message_id: todo as string }, 3),
    ],
    board: {
      observationRevision: 7,
      observationFloor: 2,
      assignmentHistoryFloors: new Map([[todo as MessageId, 2]]),
      assignmentHistoryTrackingComplete: false,
      completionFences: new Map([[todo as MessageId, 'a'.repeat(64)]]),
      completionFenceTrackingComplete: true,
      deliveryReplays: new Map([[`${'1'.repeat(64)}:${'2'.repeat(64)}`, { payloadFingerprint: '3'.repeat(64), messageId: note as MessageId }]]),
    },
    materializedValidationJobIds: ['wc_job_2', 'wc_job_1'] as JobId[],
  });
  await imported(fixture.domain, { sessions: [session] });
  const { chain, ...read } = fixture.domain.exportSession(A) ?? ledgerSession(A);
  expect({ ...read, chain: null }).toEqual(session);
  expect(chain?.origin).toBe('imported');
  await fixture.close(A);
  fixture.database.prepare("DELETE FROM sessions WHERE lifecycle = 'closed'").run();
  for (const table of ['session_messages', 'session_boards', 'session_todos', 'session_deliveries', 'session_validation_jobs']) {
    expect(fixture.database.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0);
  }
});

test('while rows are imported nobody finds them, and nothing is created; afterwards they are there', async () => {
  const fixture = sessionsFixture();
  const begun = await fixture.domain.beginImport({ documentDigest: DIGEST });
  if ('refused' in begun) throw new Error('refused');
  await begun.add(ledgerSession(A));
  expect(fixture.domain.lookUp(A, alice)).toEqual({ found: 'nothing' });
  expect(fixture.domain.counts().retained).toBe(0);
  expect(await fixture.call('list_sessions', { project: DEMO })).toMatchObject({ output: { total: 0 } });
  expect(await fixture.call('start_session', { project: DEMO })).toMatchObject({ success: false, output: { error_kind: 'ledger_import_in_progress', recovery_kind: 'wait' } });
  await expect(fixture.begin()).rejects.toThrow('being imported');
  expect(await fixture.domain.beginImport({ documentDigest: DIGEST })).toEqual({ refused: 'import_in_progress' });
  const counts = await begun.finish({ kept: [], greatestOrdinal: 0 });
  expect(counts).toEqual({ sessions: 1, events: 0, messages: 0, tombstones: 0, pruned: 0 });
  expect(fixture.domain.lookUp(A, alice)).toMatchObject({ found: 'session' });
  expect(fixture.domain.counts()).toMatchObject({ retained: 1, hot: 0, cold: 1 });
  expect(fixture.status()).toMatchObject({ restored_sessions: 1 });
  await fixture.begin();
});

test('a creation that is queued behind the begin of an import is refused with it', async () => {
  const fixture = sessionsFixture();
  const importing = fixture.domain.beginImport({ documentDigest: DIGEST });
  await expect(fixture.begin()).rejects.toThrow('being imported');
  expect(await importing).not.toHaveProperty('refused');
});

test('a ledger with anything in it takes no import', async () => {
  const fixture = sessionsFixture({ historicalSessionRetentionLimit: 1 });
  await history(fixture);
  expect(await fixture.domain.beginImport({ documentDigest: DIGEST })).toEqual({ refused: 'ledger_not_empty', sessions: 3, tombstones: 1 });
  await fixture.begin();
});

test('a daemon that dies in the middle of an import leaves an empty ledger', async () => {
  const fixture = sessionsFixture();
  const begun = await fixture.domain.beginImport({ documentDigest: DIGEST });
  if ('refused' in begun) throw new Error('refused');
  for (let count = 0; count < 45; count += 1) await begun.add(ledgerSession(`wc_sess_${String(count).padStart(16, '0')}`, { messages: [ledgerMessage(`wc_sess_${String(count).padStart(16, '0')}`, 'wc_msg_aaaaaaaaaaaaaaaa')] }));
  fixture.database.close();
  fixture.reopen();
  expect(fixture.domain.counts()).toMatchObject({ retained: 0, tombstones: 0 });
  expect(fixture.domain.ledgerStats()).toMatchObject({ sessions: 0, messages: 0 });
  await fixture.begin();
  expect(await fixture.domain.verifyLedger()).toMatchObject({ sound: true, sessionsChecked: 1 });
});

/** Another process that holds the write lock: nothing can be written until it lets go. */
function locked(fixture: SessionsFixture): { release(): void } {
  const other = new SqliteDatabase(fixture.database.name);
  other.exec('BEGIN IMMEDIATE');
  fixture.database.pragma('busy_timeout = 0');
  return { release: () => other.close() };
}

test('an import that fails while nothing can be written is removed as soon as something can, without a new start', async () => {
  const fixture = sessionsFixture();
  const begun = await fixture.domain.beginImport({ documentDigest: DIGEST });
  if ('refused' in begun) throw new Error('refused');
  await begun.add(ledgerSession(A));
  const lock = locked(fixture);
  await expect(begun.abandon()).rejects.toThrow('the ledger could not be written');
  lock.release();
  expect(await fixture.call('start_session', { project: DEMO })).toMatchObject({ output: { error_kind: 'ledger_import_in_progress' } });
  await vi.waitFor(() => expect(fixture.domain.ledgerStats().sessions).toBe(0), { timeout: 5_000 });
  await vi.waitFor(() => fixture.begin(), { timeout: 5_000 });
  expect(fixture.domain.counts()).toMatchObject({ retained: 1 });
  expect(await fixture.domain.verifyLedger()).toMatchObject({ sound: true, sessionsChecked: 1 });
});

test('a start that cannot remove a half import goes on trying', async () => {
  const fixture = sessionsFixture();
  const begun = await fixture.domain.beginImport({ documentDigest: DIGEST });
  if ('refused' in begun) throw new Error('refused');
  await begun.add(ledgerSession(A));
  const lock = locked(fixture);
  const [store, flag] = [new SessionStore(fixture.database), new ImportFlag(fixture.database)];
  const removed = vi.fn();
  const removal = new ImportRemoval({ store, flag, commits: new CommitQueue(fixture.database), removed });
  removal.runAtStart();
  expect(flag.isSet).toBe(true);
  lock.release();
  await vi.waitFor(() => expect(removed).toHaveBeenCalledTimes(1), { timeout: 5_000 });
  expect([flag.isSet, store.order()]).toEqual([false, []]);
});

test('an import is bounded as a start is: the oldest Closed by update go, then the lowest tombstones', async () => {
  const fixture = sessionsFixture({ historicalSessionRetentionLimit: 2 });
  const closed = (id: string, updatedAt: number) => ledgerSession(id, { lifecycle: 'closed', updatedAt });
  const begun = await fixture.domain.beginImport({ documentDigest: DIGEST });
  if ('refused' in begun) throw new Error('refused');
  for (const row of [closed(A, 1_700_000_009), closed(B, 1_700_000_001), closed(C, 1_700_000_005)]) await begun.add(row);
  const old = { ownerFingerprint: ledgerSession(A).ownerFingerprint, incarnation: 'c'.repeat(64) as never };
  const counts = await begun.finish({
    kept: [
      { ...old, sessionId: 'wc_sess_XXXXXXXXXXXXXXXX' as SessionId, expiryOrdinal: 4 },
      { ...old, sessionId: 'wc_sess_YYYYYYYYYYYYYYYY' as SessionId, expiryOrdinal: 9 },
    ],
    greatestOrdinal: 20,
  });
  expect(counts).toMatchObject({ sessions: 3, tombstones: 2, pruned: 1 });
  const { sessions, tombstones } = await exported(fixture.domain);
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual([A, C]);
  expect(tombstones.map(({ sessionId, expiryOrdinal }) => [sessionId, expiryOrdinal])).toEqual([['wc_sess_YYYYYYYYYYYYYYYY', 9], [B, 21]]);
  expect(fixture.domain.lookUp(B, alice)).toEqual({ found: 'expired', sessionId: B });
  expect(fixture.domain.lookUp(B, bob)).toEqual({ found: 'nothing' });
});

test('a tail that is longer than the limit is cut to its newest, and its chain stays provable', async () => {
  const from = sessionsFixture();
  const session = await from.begin();
  for (let pair = 0; pair < 5; pair += 1) await from.pair(session);
  const row = from.domain.exportSession(session);
  if (row === null) throw new Error('not retained');
  const to = sessionsFixture({ eventsPerSession: 3 });
  await imported(to.domain, { sessions: [row] });
  expect(to.domain.snapshot(session)).toMatchObject({ eventsObserved: 11, firstRetainedSequence: 8 });
  expect(to.domain.exportSession(session)?.chain).toMatchObject({ origin: 'created', start: 0, head: row.chain?.head });
  expect(await to.domain.verifyLedger()).toMatchObject({ sound: true, eventsChecked: 3 });
});

test('a ledger counts what is in it', async () => {
  const fixture = sessionsFixture({ historicalSessionRetentionLimit: 1 });
  await history(fixture);
  expect(fixture.domain.ledgerStats()).toMatchObject({
    sessions: 3, activeSessions: 2, closedSessions: 1, events: 10, eventsObserved: 10, messages: 0, tombstones: 1, anchors: 0,
    oldestCreatedAt: 1_800_000_001, newestUpdatedAt: 1_800_000_006,
  });
  expect(fixture.domain.ledgerStats().databaseBytes).toBeGreaterThan(4096);
  expect(statSync(join(fixture.folder, 'ledger.db')).mode & 0o777).toBe(0o600);
});
