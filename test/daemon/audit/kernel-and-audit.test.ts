import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AuditPort } from '../../../src/daemon/kernel/ports.js';
import type { CallRequest } from '../../../src/daemon/kernel/call-request.js';
import { handleCall, type Kernel } from '../../../src/daemon/kernel/handle-call.js';
import { success } from '../../../src/protocol/tool-result.js';
import { kernelFixture, request, session, SESSION_A, tool, WRITE } from '../kernel/kernel-fixture.js';
import { auditWorld, temporaryFolder } from './audit-fixture.js';

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
    const closed = auditWorld();
    await closed.audit.close();
    const calls = [
      request('read_files', { project }),
      request('edit_project_files', { project }),
      request('edit_project_files', { project, no_such_field: 1 }),
      request('no_such_tool', {}),
    ];
    const sound = auditWorld();
    for (const call of calls) {
      const expected = await answerOf(kernelWith(sound.audit), call);
      for (const faulty of [locked, missing, closed]) expect(await answerOf(kernelWith(faulty.audit), call)).toBe(expected);
    }
    await Promise.all([locked.sessions(), missing.ask('stats')]);
    expect([locked, missing, closed, sound].map((world) => world.droppedTotal())).toEqual([4, 4, 4, 0]);
  });
});
