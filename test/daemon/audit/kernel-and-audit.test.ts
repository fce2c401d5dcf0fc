import { randomUUID } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callRow } from '../../../src/daemon/audit/event-row.js';
import { Losses } from '../../../src/daemon/audit/losses.js';
import { AUDIT_SCHEMA } from '../../../src/daemon/audit/schema.js';
import { AuditStore } from '../../../src/daemon/audit/store.js';
import { WriteQueue } from '../../../src/daemon/audit/write-queue.js';
import type { AuditPort, CallRecord } from '../../../src/daemon/kernel/ports.js';
import type { CallRequest } from '../../../src/daemon/kernel/call-request.js';
import { handleCall, type Kernel } from '../../../src/daemon/kernel/handle-call.js';
import { openDatabase } from '../../../src/daemon/storage/open-database.js';
import { success } from '../../../src/protocol/tool-result.js';
import { kernelFixture, request, session, SESSION_A, tool, WRITE } from '../kernel/kernel-fixture.js';
import { asOrdinaryUser, auditWorld, callRecord, temporaryFolder } from './audit-fixture.js';

const never = new Promise<never>(() => undefined);
const tools = [
  tool('read_files', () => ({ result: success({ text: '中文' }) }), { telemetry: 'instruction_read' }),
  tool('edit_project_files', () => ({ result: success({ changed: true }), facts: { changedPaths: ['a.txt'] } }), { ...WRITE, telemetry: 'edit' }),
  tool('slow_edit', () => never, { ...WRITE, telemetry: 'edit' }),
];
const project = 'agent:local:demo';

function kernelWith(audit: AuditPort, changes: Partial<Kernel> = {}): Kernel {
  return kernelFixture(tools, { sessions: [session(SESSION_A)], kernel: { audit, ...changes } }).kernel;
}

/** The exact bytes of the answer, after its row was handed to the audit. */
async function answerOf(kernel: Kernel, call: CallRequest): Promise<string> {
  const answer = await handleCall(kernel, call);
  answer.audit({ httpStatus: 200, streaming: false, atMs: 1_001 });
  return answer.body;
}

describe('calls through the kernel', () => {
  it('[05-A13] writes one row for an edit whose arguments were refused', async () => {
    const world = auditWorld();
    await answerOf(kernelWith(world.audit), request('edit_project_files', { project, no_such_field: 1 }));
    expect(await world.sessions()).toMatchObject([{ total_actions: 1, failed_count: 1 }]);
    expect(await world.newest()).toMatchObject({
      operation: 'edit_project_files',
      error_summary: 'invalid_arguments',
      summary: {
        outcome: 'invalid',
        model_ergonomics: { error_kind: 'invalid_arguments', serialized_result_bytes: null, edit_outcome: 'rejected' },
      },
    });
  });

  it('[05-A14] writes an uncertain edit and an unknown status when the hard bound cut the call off', async () => {
    const world = auditWorld();
    const kernel = kernelWith(world.audit, { hardTimeoutMs: 50 });
    await answerOf(kernel, request('slow_edit', { project }, { adapter: 'mcp_2026' }));
    expect(await world.sessions()).toMatchObject([{ total_actions: 1, timeout_or_unknown_count: 1 }]);
    expect(await world.newest()).toMatchObject({
      status: 'unknown',
      summary: {
        outcome: 'timed_out',
        model_ergonomics: { error_kind: 'dispatch_hard_timeout', serialized_result_bytes: null, edit_outcome: 'uncertain' },
      },
    });
  });

  it('[05-A25] keeps the id of the decision that denied a call', async () => {
    const world = auditWorld();
    const kernel = kernelWith(world.audit, { authority: { mode: 'restricted', source: 'environment' } as Kernel['authority'] });
    const body = await answerOf(kernel, request('edit_project_files', { project }));
    const { output } = JSON.parse(body) as { output: { permission: { request_id: string } } };
    expect((await world.newest()).ids).toEqual({ permission_request_id: output.permission.request_id });
  });

  it('measures the bytes that were sent, recorder facts included', async () => {
    const world = auditWorld();
    const recorded = request('read_files', { project }, { recordingSessionId: SESSION_A });
    const body = await answerOf(kernelWith(world.audit), recorded);
    expect(body).toContain('session_event_id');
    expect(await world.newest()).toMatchObject({
      response_bytes: Buffer.byteLength(body),
      summary: { model_ergonomics: { serialized_result_bytes: Buffer.byteLength(body) } },
    });
  });

  it('writes one row and one record for a call with a recorder that is not its business Session', async () => {
    const world = auditWorld();
    const kernel = kernelFixture(tools, {
      sessions: [session(SESSION_A), session('wc_sess_CCCCCCCCCCCCCCCC')],
      kernel: { audit: world.audit },
    }).kernel;
    await answerOf(kernel, request('read_files', { project, session_id: 'wc_sess_CCCCCCCCCCCCCCCC' }, { recordingSessionId: SESSION_A }));
    expect(await world.sessions()).toMatchObject([{ total_actions: 1 }]);
  });

  it('answers the same bytes whatever is wrong with the store', async () => {
    const locked = auditWorld();
    const holder = new SqliteDatabase(locked.path);
    onTestFinished(() => void holder.close());
    holder.exec('BEGIN EXCLUSIVE');
    const missing = auditWorld({ path: join(temporaryFolder(), 'nowhere', 'audit.db') });
    const folder = auditWorld({ path: temporaryFolder() });
    const corrupt = auditWorld({ path: garbageFile() });
    const closed = auditWorld();
    await closed.audit.close();
    const full = fullStore();
    const sound = auditWorld();
    const faulty = [locked, missing, folder, corrupt, closed].map(({ audit }) => audit);
    for (const call of CALLS) {
      const expected = await answerOf(kernelWith(sound.audit, { hardTimeoutMs: 20 }), call);
      for (const audit of [...faulty, full.port]) {
        expect(await answerOf(kernelWith(audit, { hardTimeoutMs: 20 }), call)).toBe(expected);
      }
    }
    await Promise.all([locked.sessions(), missing.ask('stats'), folder.ask('stats'), corrupt.ask('stats'), full.drain()]);
    const lost = CALLS.length;
    expect([locked, missing, folder, corrupt, closed, sound].map((world) => world.droppedTotal())).toEqual([lost, lost, lost, lost, lost, 0]);
    expect(full.lost()).toBe(lost);
    expect(await sound.sessions()).toMatchObject([{ total_actions: lost, timeout_or_unknown_count: 1 }]);
  });

  it('answers the same bytes over a store that it may only read', async () => {
    const made = auditWorld();
    await made.audit.close();
    chmodSync(made.path, 0o444);
    chmodSync(made.folder, 0o555);
    onTestFinished(() => chmodSync(made.folder, 0o755));
    const expected = await answerOf(kernelWith(auditWorld().audit), CALLS[0]!);
    await asOrdinaryUser(async () => {
      const world = auditWorld({ path: made.path });
      expect(await answerOf(kernelWith(world.audit), CALLS[0]!)).toBe(expected);
      await world.ask('stats');
      expect(world.droppedTotal()).toBe(1);
      await world.audit.close();
    });
  });

  it.each([
    ['statements', `'); DROP TABLE action_events; --`],
    ['marks that turn a line around', '\u202eevil'],
    ['half a surrogate pair', '\ud800'],
    ['a formula', '=1+1'],
    ['10,000 characters', 'x'.repeat(10_000)],
  ])('files a call under whatever a header holds: %s', async (_what, header) => {
    const world = auditWorld();
    const call = request('read_files', { project });
    const plain = await answerOf(kernelWith(auditWorld().audit), call);
    const hostile = { ...call, affinity: { header, headerAlias: header, query: header } };
    expect(await answerOf(kernelWith(world.audit), hostile)).toBe(plain);
    const [{ session_id: id } = {}, ...others] = await world.sessions();
    expect(others).toEqual([]);
    expect([...String(id)].length).toBeLessThanOrEqual(120);
    expect(await world.rows('SELECT status FROM action_events')).toEqual([{ status: 'success' }]);
    expect(world.droppedTotal()).toBe(0);
  });

  it('is no slower for a caller whose row finds the store locked', async () => {
    const world = auditWorld();
    const holder = new SqliteDatabase(world.path);
    onTestFinished(() => void holder.close());
    holder.exec('BEGIN EXCLUSIVE');
    const began = performance.now();
    await answerOf(kernelWith(world.audit), CALLS[0]!);
    // The lock would cost 250 ms; the row is written after the answer.
    expect(performance.now() - began).toBeLessThan(200);
  });
});

/** Calls of every kind of end that the kernel has: done, refused before and after their tool was known, cut off. */
const CALLS: readonly CallRequest[] = [
  request('read_files', { project }),
  request('edit_project_files', { project }),
  request('edit_project_files', { project, no_such_field: 1 }),
  request('no_such_tool', {}),
  request('slow_edit', { project }, { adapter: 'mcp_2026' }),
];

function garbageFile(): string {
  const path = join(temporaryFolder(), 'audit.db');
  writeFileSync(path, Buffer.alloc(100_000, 'no database '));
  return path;
}

/** The audit's own way of rows over a store that has no page left. */
function fullStore(): { readonly port: AuditPort; readonly drain: () => Promise<void>; readonly lost: () => number } {
  const database = openDatabase(join(temporaryFolder(), 'audit.db'), [AUDIT_SCHEMA]);
  onTestFinished(() => void database.close());
  const store = new AuditStore(database, randomUUID);
  const row = (call: CallRecord) => callRow(call, { eventId: randomUUID(), salt: Buffer.alloc(16), warn: () => undefined });
  database.pragma(`max_page_count = ${String(database.pragma('page_count', { simple: true }))}`);
  try {
    for (;;) store.append([row(callRecord())]);
  } catch {
    // There is no room left now.
  }
  const losses = new Losses({ warn: () => undefined, info: () => undefined });
  const queue = new WriteQueue({ use: (work) => work(store) }, losses, () => undefined);
  return {
    port: { record: (call) => queue.push(() => row(call)) },
    drain: () => queue.drain(),
    lost: () => losses.total,
  };
}
