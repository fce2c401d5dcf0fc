import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/daemon/storage/open-database.js';
import { sessionsSchema } from '../../../src/daemon/sessions/index.js';
import { sessionsFixture, type SessionsFixture } from './sessions-fixture.js';
import { join } from 'node:path';
import { copyFileSync } from 'node:fs';

/** Makes the ledger what a daemon before chains left: the same rows in the tables of version 1. */
async function asVersionOne(fixture: SessionsFixture): Promise<void> {
  await fixture.domain.close?.();
  const old = openDatabase(join(fixture.folder, 'old.db'), [{ domain: 'sessions', steps: sessionsSchema.steps.slice(0, 1) }]);
  old.exec(`ATTACH '${join(fixture.folder, 'ledger.db')}' AS now`);
  for (const table of ['sessions', 'session_events', 'session_tombstones', 'session_counters']) {
    const columns = old.prepare<[], string>(`SELECT name FROM pragma_table_info('${table}', 'main')`).pluck().all().join(', ');
    old.exec(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM now.${table}`);
  }
  old.exec('DETACH now');
  old.pragma('journal_mode = DELETE');
  old.close();
  fixture.database.close();
  copyFileSync(join(fixture.folder, 'old.db'), join(fixture.folder, 'ledger.db'));
}

async function adopted(fixture: SessionsFixture): Promise<void> {
  const left = fixture.database.prepare('SELECT count(*) FROM sessions WHERE chain_head IS NULL').pluck();
  await expect.poll(() => left.get(), { timeout: 5_000, interval: 5 }).toBe(0);
}

test('Sessions of tables without chains get theirs after the start, in the background', async () => {
  const fixture = sessionsFixture({ eventsPerSession: 6 });
  const sessions = [await fixture.begin(), await fixture.begin(), await fixture.begin()];
  for (const session of sessions) for (let pair = 0; pair < 4; pair += 1) await fixture.pair(session);
  await asVersionOne(fixture);
  fixture.reopen();
  expect(fixture.database.prepare('SELECT count(*) FROM sessions WHERE chain_head IS NULL').pluck().get()).toBe(3);
  await adopted(fixture);
  expect(await fixture.domain.verifyLedger()).toMatchObject({ sound: true, eventsChecked: 18, findings: [] });
  expect(fixture.database.prepare('SELECT DISTINCT chain_origin, chain_start FROM sessions').raw().all()).toEqual([['adopted', 3]]);
});

test('an append does not wait for the background: it chains its Session itself', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  await fixture.pair(session);
  await asVersionOne(fixture);
  fixture.reopen();
  await fixture.pair(session);
  await adopted(fixture);
  expect(await fixture.domain.verifyLedger()).toMatchObject({ sound: true, eventsChecked: 5 });
});

test('a row that cannot be read keeps its Session without a chain, and holds nobody up', async () => {
  const fixture = sessionsFixture();
  const [broken, whole] = [await fixture.begin(), await fixture.begin()];
  await asVersionOne(fixture);
  const old = openDatabase(join(fixture.folder, 'ledger.db'), []);
  old.prepare('UPDATE sessions SET execution_context = ? WHERE session_id = ?').run('{"inspect":1}', broken);
  old.close();
  fixture.reopen();
  const left = fixture.database.prepare('SELECT session_id FROM sessions WHERE chain_head IS NULL').pluck();
  await expect.poll(() => left.all(), { timeout: 5_000, interval: 5 }).toEqual([broken]);
  const verification = await fixture.domain.verifyLedger();
  expect(verification.findings).toMatchObject([{ kind: 'row_unreadable', sessionId: broken }]);
  expect(fixture.domain.snapshot(whole)?.events).toHaveLength(1);
});
