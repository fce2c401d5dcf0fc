import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SessionEvent } from '../../../src/daemon/sessions/index.js';
import { exported } from './ledger-rows-fixture.js';
import { SessionsFixture, sessionsFixture } from './sessions-fixture.js';

/** Every event that the ledger shows, in an order that does not depend on which Sessions can be read. */
async function shownEvents(fixture: SessionsFixture): Promise<Map<string, readonly SessionEvent[]>> {
  const { sessions } = await exported(fixture.domain);
  return new Map(sessions.map(({ sessionId, events }) => [sessionId, events]));
}

test('whatever bit of the file flips, an event that reads otherwise is found, and nothing dies of it', { timeout: 60_000 }, async () => {
  const whole = sessionsFixture();
  for (let count = 0; count < 6; count += 1) {
    const session = await whole.begin({ title: `task ${count}` });
    for (let pair = 0; pair < 12; pair += 1) await whole.pair(session);
  }
  const before = await shownEvents(whole);
  await whole.domain.close?.();
  whole.database.close();
  const bytes = readFileSync(join(whole.folder, 'ledger.db'));
  whole.reopen();
  const outcomes = { refused: 0, found: 0, unchanged: 0 };
  await fc.assert(
    // Behind the first page, which holds the header of the file and the names of the tables.
    fc.asyncProperty(fc.integer({ min: 4096, max: bytes.length - 1 }), fc.nat({ max: 7 }), async (at, bit) => {
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << bit), at);
      const fixture = new SessionsFixture();
      try {
        fixture.database.close();
        writeFileSync(join(fixture.folder, 'ledger.db'), flipped);
        try {
          fixture.reopen();
        } catch (error) {
          expect((error as { code?: string }).code).toMatch(/^SQLITE_/);
          outcomes.refused += 1;
          return;
        }
        const { sound } = await fixture.domain.verifyLedger();
        outcomes[sound ? 'unchanged' : 'found'] += 1;
        if (!sound) return;
        for (const [id, events] of await shownEvents(fixture)) expect(events).toEqual(before.get(id));
      } finally {
        fixture.dispose();
      }
    }),
    { numRuns: 60, seed: 11 },
  );
  expect(outcomes.found).toBeGreaterThan(20);
});

test('kill -9 between a commit and its answer: what was committed is there, and the ledger is sound', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wc-killed-'));
  try {
    const killed = spawnSync(process.execPath, [join(import.meta.dirname, 'die-after-commit.mjs'), folder], { encoding: 'utf8' });
    expect([killed.signal, killed.stderr]).toEqual(['SIGKILL', '']);
    const fixture = sessionsFixture();
    fixture.database.close();
    for (const name of ['ledger.db', 'ledger.db-wal', 'ledger.db-shm']) {
      rmSync(join(fixture.folder, name), { force: true });
      if (existsSync(join(folder, name))) writeFileSync(join(fixture.folder, name), readFileSync(join(folder, name)));
    }
    fixture.reopen();
    const { sessions } = await exported(fixture.domain);
    expect(sessions.map(({ events }) => events.map(({ kind }) => kind))).toEqual([
      ['task_instruction', 'tool_call_started', 'tool_call_finished'],
    ]);
    expect(await fixture.domain.verifyLedger()).toMatchObject({ sound: true, findings: [] });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a database that cannot be written takes no event, says so, and shows what it has', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  fixture.database.pragma('query_only = ON');
  await expect(fixture.pair(session)).rejects.toThrow('readonly');
  expect(fixture.status()).toMatchObject({ last_persist_error: expect.stringMatching(/^persist_failed: .*readonly/) as string });
  expect(await fixture.call('start_session', {})).toMatchObject({ success: false, output: { error_kind: 'storage_unavailable' } });
  expect(fixture.domain.snapshot(session)?.eventsObserved).toBe(1);
  expect(await fixture.domain.verifyLedger()).toMatchObject({ sound: true });
  fixture.database.pragma('query_only = OFF');
  await fixture.pair(session);
  expect(fixture.status()).toMatchObject({ last_persist_error: null });
});
