import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AuditFile } from '../../../src/daemon/audit/audit-file.js';
import { callRow } from '../../../src/daemon/audit/event-row.js';
import { Losses } from '../../../src/daemon/audit/losses.js';
import { retain } from '../../../src/daemon/audit/retention.js';
import { AUDIT_SCHEMA } from '../../../src/daemon/audit/schema.js';
import { AuditStore } from '../../../src/daemon/audit/store.js';
import { WriteQueue } from '../../../src/daemon/audit/write-queue.js';
import { openDatabase } from '../../../src/daemon/storage/open-database.js';
import { callIn, temporaryFolder, WINDOW } from './audit-fixture.js';

function storeWith(events: readonly (readonly [session: string, atSecs: number])[]): { database: Database; store: AuditStore } {
  const database = openDatabase(join(temporaryFolder(), 'audit.db'), [AUDIT_SCHEMA]);
  onTestFinished(() => void database.close());
  const store = new AuditStore(database, randomUUID);
  const rows = events.map(([session, atSecs]) =>
    callRow(
      callIn(session, { startedAtMs: atSecs * 1000, endedAtMs: atSecs * 1000, window: WINDOW, recorder: 'wc_sess_x' as never }),
      { eventId: randomUUID(), salt: Buffer.alloc(16), warn: () => undefined },
    ),
  );
  store.append(rows);
  return { database, store };
}

const startsIn = (database: Database) =>
  database.prepare<[], number>('SELECT started_at FROM action_events ORDER BY started_at').pluck().all();
const noPause = (): Promise<void> => Promise.resolve();

describe('retention', () => {
  it('removes what is too old, with its links, and leaves the counters as they were', async () => {
    const { database } = storeWith([['s', 10], ['s', 20], ['s', 30]]);
    expect(await retain(database, { before: 30, maxRows: 1000 }, noPause)).toEqual({ events: 2, sessions: 0 });
    expect(startsIn(database)).toEqual([30]);
    expect(database.prepare('SELECT count(*) FROM action_event_workflow_links').pluck().get()).toBe(1);
    expect(database.prepare('SELECT total_actions FROM action_sessions').pluck().get()).toBe(3);
  });

  it('removes the oldest of too many, however they were written', async () => {
    const { database } = storeWith([['s', 30], ['s', 10], ['s', 40], ['s', 20]]);
    expect(await retain(database, { before: 0, maxRows: 2 }, noPause)).toEqual({ events: 2, sessions: 0 });
    expect(startsIn(database)).toEqual([30, 40]);
  });

  it('removes a closed session that is old and empty; an open one stays', async () => {
    const { database, store } = storeWith([['open', 10], ['closed', 10], ['young', 50]]);
    for (const id of ['closed', 'young']) store.close(id, null, 60);
    expect(await retain(database, { before: 30, maxRows: 1000 }, noPause)).toEqual({ events: 2, sessions: 1 });
    expect(database.prepare('SELECT session_id FROM action_sessions ORDER BY session_id').pluck().all()).toEqual(['open', 'young']);
  });

  it('works in steps between which others write', async () => {
    const { database, store } = storeWith(Array.from({ length: 1_250 }, (_, at) => ['s', at] as const));
    let pauses = 0;
    await retain(database, { before: 1_000, maxRows: 100_000 }, () => {
      pauses += 1;
      expect(database.inTransaction).toBe(false);
      return Promise.resolve();
    });
    expect(pauses).toBe(20);
    expect(startsIn(database)).toEqual(Array.from({ length: 250 }, (_, at) => 1_000 + at));
    expect(store.close('s', null, 1)).toMatchObject({ already_closed: false });
  });

  it('lets rows wait for its lock and the daemon not, and loses none', async () => {
    const path = join(temporaryFolder(), 'audit.db');
    const holder = openDatabase(path, [AUDIT_SCHEMA]);
    onTestFinished(() => void holder.close());
    const losses = new Losses({ warn: () => undefined, info: () => undefined });
    const file = new AuditFile({ path, monotonicMs: () => performance.now(), newSessionId: randomUUID, lockIsOurs: () => true });
    onTestFinished(() => file.close());
    const blocked: number[] = [];
    const use: AuditFile['use'] = (work) => {
      const began = performance.now();
      try {
        return file.use(work);
      } finally {
        blocked.push(performance.now() - began);
      }
    };
    const queue = new WriteQueue({ use }, losses, () => undefined, () => true);
    file.ensureOpen();
    holder.exec('BEGIN IMMEDIATE');
    for (let at = 0; at < 40; at += 1) {
      queue.push(() => callRow(callIn('s', { durationMs: at }), { eventId: randomUUID(), salt: Buffer.alloc(16), warn: () => undefined }));
    }
    const drained = queue.drain();
    await vi.waitFor(() => expect(blocked.length).toBeGreaterThan(3));
    expect([queue.length, losses.total]).toEqual([40, 0]);
    holder.exec('ROLLBACK');
    await drained;
    expect(holder.prepare('SELECT duration_ms FROM action_events ORDER BY rowid').pluck().all()).toEqual(Array.from({ length: 40 }, (_, at) => at));
    expect(losses.total).toBe(0);
    expect(Math.min(...blocked)).toBeLessThan(50);
  });
});
