import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { callRow } from '../../../src/daemon/audit/event-row.js';
import { Losses } from '../../../src/daemon/audit/losses.js';
import { AUDIT_SCHEMA } from '../../../src/daemon/audit/schema.js';
import { AuditStore } from '../../../src/daemon/audit/store.js';
import { WriteQueue } from '../../../src/daemon/audit/write-queue.js';
import { openDatabase } from '../../../src/daemon/storage/open-database.js';
import { asOrdinaryUser, auditWorld, callIn, callRecord, temporaryFolder, toolFacts, withDatabase } from './audit-fixture.js';

describe('a store that cannot be written', () => {
  it('loses the row and nothing else while another program holds the lock', async () => {
    const world = auditWorld();
    const holder = new SqliteDatabase(world.path);
    onTestFinished(() => void holder.close());
    holder.exec('BEGIN EXCLUSIVE');
    const call = callRecord({ result: { success: true, output: { text: 'kept' } } });
    const before = JSON.stringify(call);
    const began = performance.now();
    world.audit.record(call);
    expect(await world.sessions()).toEqual([]);
    expect(performance.now() - began).toBeLessThan(4_000);
    expect(JSON.stringify(call)).toBe(before);
    expect(world.droppedTotal()).toBe(1);
    expect(world.audit.status?.()).toMatchObject({ audit_store: 'failing', audit_rows_waiting: 0 });
    expect(world.audit.lossReason()).toMatch(/locked/);
    holder.exec('ROLLBACK');
    world.audit.record(callRecord());
    expect(await world.sessions()).toMatchObject([{ total_actions: 1 }]);
    expect(world.droppedTotal()).toBe(1);
    expect(world.audit.status?.()).toMatchObject({ audit_store: 'ok' });
  });

  it('warns once for each streak', async () => {
    const world = auditWorld();
    const holder = new SqliteDatabase(world.path);
    onTestFinished(() => void holder.close());
    for (let streak = 0; streak < 2; streak += 1) {
      holder.exec('BEGIN EXCLUSIVE');
      for (let lost = 0; lost < 3; lost += 1) {
        world.audit.record(callRecord());
        await world.sessions();
      }
      holder.exec('ROLLBACK');
      world.audit.record(callRecord());
      await world.sessions();
    }
    expect(world.droppedTotal()).toBe(6);
    expect(world.log.map(({ level }) => level)).toEqual(['warn', 'info', 'warn', 'info']);
    expect(world.log[1]).toMatchObject({ facts: { lost: 3 } });
  });

  it('survives a file that is no database, leaves it alone, and starts anew when it is moved away', async () => {
    let monotonic = 0;
    const path = join(temporaryFolder(), 'audit.db');
    writeFileSync(path, 'this is no database '.repeat(500));
    const world = auditWorld({ path, monotonicMs: () => monotonic });
    world.audit.record(callRecord());
    expect(await world.ask('stats')).toMatchObject({ status: 503, body: { status: 503, error_kind: 'audit_store_unavailable' } });
    expect(await world.ask('close', { session_id: 's' })).toMatchObject({ status: 503 });
    expect(world.droppedTotal()).toBe(1);
    expect(readFileSync(path, 'utf8')).toContain('this is no database');
    renameSync(path, `${path}.broken`);
    monotonic += 2_000;
    world.audit.record(callRecord());
    expect(await world.sessions()).toMatchObject([{ total_actions: 1 }]);
  });

  it('survives a file that breaks while it is used', async () => {
    let monotonic = 0;
    const world = auditWorld({ monotonicMs: () => monotonic });
    for (let at = 0; at < 50; at += 1) world.audit.record(callRecord());
    await world.sessions();
    withDatabase(world.path, (database) => database.pragma('wal_checkpoint(TRUNCATE)'));
    writeFileSync(world.path, Buffer.alloc(200_000, 7));
    for (let at = 0; at < 50; at += 1) world.audit.record(callRecord());
    expect((await world.ask('stats')).status).toBeGreaterThanOrEqual(500);
    expect(world.droppedTotal()).toBe(50);
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${world.path}${suffix}`, { force: true });
    monotonic += 2_000;
    world.audit.record(callRecord());
    expect(await world.sessions()).toMatchObject([{ total_actions: 1 }]);
  });

  it('notices that its file was taken away, and does not write into nothing', async () => {
    let monotonic = 0;
    const world = auditWorld({ monotonicMs: () => monotonic });
    world.audit.record(callRecord());
    await world.sessions();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${world.path}${suffix}`);
    monotonic += 2_000;
    world.audit.record(callIn('after'));
    expect(await world.sessions()).toMatchObject([{ session_id: 'after', total_actions: 1 }]);
    expect(world.droppedTotal()).toBe(0);
  });

  it('survives a folder that does not exist', async () => {
    const world = auditWorld({ path: join(temporaryFolder(), 'nowhere', 'audit.db') });
    world.audit.record(callRecord());
    expect(await world.ask('sessions')).toMatchObject({ status: 503 });
    expect(world.droppedTotal()).toBe(1);
  });

  it('survives a store that it may only read', async () => {
    const made = auditWorld();
    made.audit.record(callRecord());
    await made.sessions();
    await made.audit.close();
    chmodSync(made.path, 0o444);
    chmodSync(dirname(made.path), 0o555);
    onTestFinished(() => chmodSync(dirname(made.path), 0o755));
    await asOrdinaryUser(async () => {
      const world = auditWorld({ path: made.path });
      world.audit.record(callRecord());
      expect(await world.ask('sessions')).toMatchObject({ status: 503, body: { error_kind: 'audit_store_unavailable' } });
      expect(world.droppedTotal()).toBe(1);
      await world.audit.close();
    });
    expect(withDatabase(made.path, (database) => database.prepare('SELECT count(*) FROM action_events').pluck().get())).toBe(1);
  });

  it('loses whole rows on a full disk, and goes on when there is room again', () => {
    const database = openDatabase(join(temporaryFolder(), 'audit.db'), [AUDIT_SCHEMA]);
    onTestFinished(() => void database.close());
    const log: string[] = [];
    const losses = new Losses({ warn: (_facts, message) => log.push(message), info: (_facts, message) => log.push(message) });
    const store = new AuditStore(database, () => 'the-session');
    const queue = () => new WriteQueue({ use: (work) => work(store) }, losses, () => undefined);
    const write = (rows: number): void => {
      const one = queue();
      for (let at = 0; at < rows; at += 1) one.push(() => callRow(callRecord(), { eventId: crypto.randomUUID(), salt: Buffer.alloc(16), warn: fail }));
      one.close();
    };
    write(10);
    database.pragma(`max_page_count = ${String(database.pragma('page_count', { simple: true }))}`);
    for (let batch = 0; batch < 20; batch += 1) write(10);
    const lost = losses.total;
    expect(lost).toBeGreaterThan(0);
    database.pragma('max_page_count = 1000000');
    write(10);
    expect(losses.total).toBe(lost);
    const kept = database.prepare('SELECT count(*) FROM action_events').pluck().get();
    expect(kept).toBe(220 - lost);
    expect(database.prepare('SELECT total_actions FROM action_sessions').pluck().get()).toBe(kept);
    expect(log).toEqual(['audit rows are being lost; calls are not affected', 'audit rows are written again']);
  });

  it('leaves the store of a newer version alone', async () => {
    const path = join(temporaryFolder(), 'audit.db');
    openDatabase(path, [AUDIT_SCHEMA]).close();
    withDatabase(path, (database) => database.exec('UPDATE schema_versions SET version = 99'));
    const world = auditWorld({ path });
    world.audit.record(callRecord());
    expect(await world.ask('stats')).toMatchObject({ status: 503, body: { error: expect.stringContaining('newer wc') as string } });
    expect(world.droppedTotal()).toBe(1);
  });
});

describe('the worker thread', () => {
  it('fails reads and no calls when it cannot be started', async () => {
    const world = auditWorld({ workerEntry: new URL('file:///nowhere/audit-worker.js') });
    world.audit.record(callIn('s'));
    for (let again = 0; again < 2; again += 1) {
      expect(await world.ask('stats')).toMatchObject({ status: 500, body: { error_kind: 'audit_query_failed' } });
    }
    expect(world.droppedTotal()).toBe(0);
    await world.audit.close();
    expect(withDatabase(world.path, (database) => database.prepare('SELECT count(*) FROM action_events').pluck().get())).toBe(1);
  });

  it('writes the log back into the database while calls go on', async () => {
    const world = auditWorld();
    const before = statSync(world.path).size;
    for (let batch = 0; batch < 6; batch += 1) {
      for (let at = 0; at < 100; at += 1) world.audit.record(callIn('s'));
      await world.sessions();
    }
    // Nothing else checkpoints before the log has 8,192 pages.
    await vi.waitFor(() => expect(statSync(world.path).size).toBeGreaterThan(before), { timeout: 10_000 });
    expect((await world.session('s')).session).toMatchObject({ total_actions: 600 });
  });
});

describe('rows that cannot be made or kept', () => {
  it('writes the row without a telemetry record that cannot be made', async () => {
    const world = auditWorld();
    const rawArguments = {
      get items(): never {
        throw new Error('no');
      },
    };
    world.audit.record(callRecord({ facts: toolFacts({ telemetry: 'instruction_read' }), rawArguments }));
    expect((await world.newest()).summary).toEqual({ transport: 'cli', outcome: 'success' });
    expect(world.droppedTotal()).toBe(0);
    expect(world.log).toMatchObject([{ level: 'warn', message: 'a telemetry record was left out' }]);
  });

  it('loses one bad row alone, and keeps those around it in order', async () => {
    const world = auditWorld();
    world.audit.record(callIn('s', { durationMs: 1 }));
    world.audit.record(callIn('s', { durationMs: NaN }));
    world.audit.record(callIn('s', { durationMs: 3 }));
    expect((await world.session('s')).events.map((event) => event['duration_ms'])).toEqual([3, 1]);
    expect((await world.session('s')).session).toMatchObject({ total_actions: 2 });
    expect(world.droppedTotal()).toBe(1);
  });

  it('takes a thousand rows at most that wait, and counts the rest', async () => {
    const world = auditWorld();
    for (let at = 0; at < 1_100; at += 1) world.audit.record(callIn('s'));
    expect(world.droppedTotal()).toBe(100);
    expect((await world.session('s')).session).toMatchObject({ total_actions: 1_000 });
  });

  it('writes what waits when the daemon ends, and takes nothing afterwards', async () => {
    const world = auditWorld();
    for (let at = 0; at < 500; at += 1) world.audit.record(callIn('s'));
    await world.audit.close();
    world.audit.record(callIn('s'));
    expect(world.droppedTotal()).toBe(1);
    expect(withDatabase(world.path, (database) => database.prepare('SELECT count(*) FROM action_events').pluck().get())).toBe(500);
  });

  it('says after a crash that there is a gap', async () => {
    const world = auditWorld({ now: () => 5_000_000 });
    world.audit.noteRecovered();
    expect(await world.newest()).toMatchObject({
      operation: 'daemon_recovered',
      action_name: 'daemonRecovered',
      endpoint: 'daemon',
      started_at: 5_000,
      status: 'success',
      warning_summary: expect.stringContaining('without its orderly end') as string,
    });
    expect(await world.rows('SELECT principal_kind FROM action_events')).toEqual([{ principal_kind: null }]);
  });
});

describe('the schema', () => {
  /** What the first step of another program of this design left behind: no attribution, no windows. */
  const BASE_ONLY = `
    CREATE TABLE action_sessions (session_id TEXT PRIMARY KEY, title TEXT, note TEXT, status TEXT NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, closed_at INTEGER, first_event_at INTEGER, last_event_at INTEGER,
      total_actions INTEGER NOT NULL DEFAULT 0, success_count INTEGER NOT NULL DEFAULT 0, failed_count INTEGER NOT NULL DEFAULT 0,
      timeout_or_unknown_count INTEGER NOT NULL DEFAULT 0, warning_count INTEGER NOT NULL DEFAULT 0,
      total_duration_ms INTEGER NOT NULL DEFAULT 0, changed_files_count INTEGER NOT NULL DEFAULT 0, job_ids_count INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE action_events (event_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, started_at INTEGER NOT NULL,
      ended_at INTEGER NOT NULL, duration_ms INTEGER NOT NULL, endpoint TEXT NOT NULL, operation TEXT, action_name TEXT NOT NULL,
      project TEXT, status TEXT NOT NULL, http_status INTEGER, error_summary TEXT, warning_summary TEXT,
      changed_files_json TEXT NOT NULL, ids_json TEXT NOT NULL, summary_json TEXT NOT NULL, request_bytes INTEGER, response_bytes INTEGER,
      FOREIGN KEY (session_id) REFERENCES action_sessions (session_id));
    INSERT INTO action_sessions (session_id, status, created_at, updated_at) VALUES ('old', 'open', 1, 1);
    INSERT INTO action_events VALUES ('e1', 'old', 1, 2, 3, '/api/x', 'op', 'act', 'p', 'success', 200, NULL, NULL,
      '["a"]', '{}', '{"stdout":"x","broken', 10, 20);`;

  it('brings an old store forward, twice, with its rows as they were', async () => {
    const path = join(temporaryFolder(), 'audit.db');
    withDatabase(path, (database) => database.exec(BASE_ONLY));
    const before = withDatabase(path, (database) => database.prepare('SELECT * FROM action_events').get());
    for (let opened = 0; opened < 2; opened += 1) openDatabase(path, [AUDIT_SCHEMA]).close();
    const after = withDatabase(path, (database) => database.prepare('SELECT * FROM action_events').get());
    expect(after).toMatchObject(before as object);
    expect(after).toMatchObject({ principal_kind: null, client_window_key: null, window_meaningful: 0 });
    const world = auditWorld({ path });
    world.audit.record(callIn('old'));
    expect((await world.session('old')).events).toHaveLength(2);
    expect((await world.ask('stats')).body).toMatchObject({
      undecodable_events: 1,
      attribution: { attributed_count: 1, unattributed_count: 1 },
    });
  });

  it('has the columns and indexes of its contract', () => {
    const database = openDatabase(join(temporaryFolder(), 'audit.db'), [AUDIT_SCHEMA]);
    onTestFinished(() => void database.close());
    const columns = (table: string) =>
      database.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
    expect(columns('action_sessions')).toHaveLength(17);
    expect(columns('action_events')).toHaveLength(35);
    expect(columns('action_event_workflow_links')).toHaveLength(5);
    const indexes = database.prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'idx%' ORDER BY name`).pluck().all();
    expect(indexes).toEqual([
      'idx_action_event_workflow_links_session',
      'idx_action_events_by_tool',
      'idx_action_events_oauth_client_started',
      'idx_action_events_operation_started',
      'idx_action_events_principal_user_started',
      'idx_action_events_session_started',
      'idx_action_events_started',
      'idx_action_events_window_completed',
      'idx_action_events_window_meaningful_completed',
      'idx_action_events_window_started',
      'idx_action_sessions_status_last_event',
    ]);
    const insert = database.prepare(`INSERT INTO action_events (event_id, session_id, started_at, ended_at, duration_ms, endpoint,
      action_name, status, changed_files_json, ids_json, summary_json, response_streaming) VALUES ('e', ?, 1, 1, 1, 'e', 'a', 's', '[]', '{}', '{}', ?)`);
    expect(() => insert.run('nobody', 0)).toThrow(/FOREIGN KEY/);
    database.exec(`INSERT INTO action_sessions (session_id, status, created_at, updated_at) VALUES ('s', 'open', 1, 1)`);
    expect(() => insert.run('s', 2)).toThrow(/CHECK/);
  });

  it('is private to its user', () => {
    const world = auditWorld();
    expect(statSync(world.path).mode & 0o777).toBe(0o600);
    withDatabase(world.path, (database) => expect(database.pragma('journal_mode', { simple: true })).toBe('wal'));
  });
});

function fail(error: unknown): never {
  throw error;
}
