import { describe, expect, it } from 'vitest';
import { success } from '../../../src/protocol/tool-result.js';
import { callRuntimeTool } from '../../../src/daemon/runtime/tools/call-runtime-tool.js';
import {
  BOB,
  kernelFixture,
  principal,
  request,
  run,
  session,
  SESSION_A,
  SESSION_B,
  SHELL,
  tool,
  WRITE,
} from './kernel-fixture.js';

const read = tool('read_thing', () => ({ result: success({ text: 'x' }) }));
const shell = tool('run_thing', () => ({ result: success({ exit_code: 0 }) }), SHELL);
const edit = tool('edit_thing', () => ({ result: success({ changed: true }) }), WRITE);
const demo = { project: 'agent:local:demo' };

describe('a call through the kernel', () => {
  it('answers the tool and writes one audit row', async () => {
    const fixture = kernelFixture([read]);
    const result = await run(fixture, request('read_thing', demo));
    expect(result).toEqual({ success: true, output: { text: 'x' } });
    expect(fixture.rows).toHaveLength(1);
    expect(fixture.rows[0]).toMatchObject({ toolName: 'read_thing', outcome: 'success', project: 'agent:local:demo' });
    expect(fixture.rows[0]?.resultBytes).toBe(Buffer.byteLength(JSON.stringify(result)));
    expect(fixture.pairs).toEqual([]);
  });

  it('[04-A1] answers unknown_tool for a retired name, directly and through the gateway, and records nothing', async () => {
    const fixture = kernelFixture([read, callRuntimeTool()], { sessions: [session(SESSION_A)] });
    const direct = await run(fixture, request('start_coding_task', {}, { recordingSessionId: SESSION_A }));
    const gateway = await run(
      fixture,
      request('call_runtime_tool', { tool: 'start_coding_task', arguments: {} }, { recordingSessionId: SESSION_A }),
    );
    expect(direct.output['error_kind']).toBe('unknown_tool');
    expect(gateway.output['error_kind']).toBe('unknown_tool');
    expect(fixture.pairs).toEqual([]);
    expect(fixture.rows.map((row) => row.outcome)).toEqual(['refused', 'refused']);
  });

  it('[04-A4] refuses an unknown field with the field named and no value, and measures no bytes', async () => {
    const fixture = kernelFixture([read], { sessions: [session(SESSION_A)] });
    const result = await run(
      fixture,
      request('read_thing', { ...demo, foo: 'hunter2' }, { recordingSessionId: SESSION_A }),
    );
    expect(result.output['error_kind']).toBe('invalid_arguments');
    expect(result.error).toContain('foo');
    expect(JSON.stringify(result)).not.toContain('hunter2');
    expect(fixture.rows[0]).toMatchObject({ outcome: 'invalid', resultBytes: null });
    expect(fixture.pairs).toHaveLength(1);
    expect(fixture.pairs[0]?.end?.result.success).toBe(false);
  });

  it('asks for scopes before it looks at any Session, so that both answers are alike', async () => {
    const fixture = kernelFixture([read], { sessions: [session(SESSION_A)] });
    const poor = principal({ scopes: new Set(['runtime:read']) });
    const real = await run(fixture, request('read_thing', { ...demo, session_id: SESSION_A }, { principal: poor }));
    const never = await run(fixture, request('read_thing', { ...demo, session_id: SESSION_B }, { principal: poor }));
    expect(real).toEqual(never);
    expect(real.output).toMatchObject({ error_kind: 'insufficient_scope', missing_scope: 'project:read' });
    expect(fixture.pairs).toEqual([]);
  });

  it('authorizes the recorder before anything of the call', async () => {
    const fixture = kernelFixture([read], { sessions: [session(SESSION_B, { ownerFingerprint: BOB })] });
    const foreign = await run(fixture, request('read_thing', { foo: 1 }, { recordingSessionId: SESSION_B }));
    expect(foreign.output['error_kind']).toBe('session_authority_denied');
    const hidden = kernelFixture([read], {
      sessions: [session(SESSION_B, { ownerFingerprint: BOB })],
      hidden: ['agent:local:demo'],
    });
    const unseen = await run(hidden, request('read_thing', demo, { recordingSessionId: SESSION_B }));
    const never = await run(hidden, request('read_thing', demo, { recordingSessionId: SESSION_A }));
    expect(unseen).toEqual(never);
    expect([...fixture.pairs, ...hidden.pairs]).toEqual([]);
  });

  it('records recorder and business Session apart, under one invocation', async () => {
    const fixture = kernelFixture([read], { sessions: [session(SESSION_A), session(SESSION_B)] });
    const result = await run(
      fixture,
      request('read_thing', { ...demo, session_id: SESSION_B, path: 'a.txt' }, { recordingSessionId: SESSION_A }),
    );
    expect(result.output).toMatchObject({ session_recorded: true, session_event_id: 'evt_wc_call_0', session_id: SESSION_A });
    expect(fixture.pairs.map((pair) => [pair.sessionId, pair.start.role, pair.start.inputs])).toEqual([
      [SESSION_A, 'recorder', { path: 'a.txt' }],
      [SESSION_B, 'business', { path: 'a.txt' }],
    ]);
    expect(new Set(fixture.pairs.map((pair) => pair.start.invocationId)).size).toBe(1);
  });

  it('refuses a recorder of another project in the recorder itself, and runs nothing', async () => {
    let ran = 0;
    const counting = tool('count_thing', () => ({ result: success({ ran: (ran += 1) }) }));
    const fixture = kernelFixture([counting], { sessions: [session(SESSION_A)] });
    const result = await run(
      fixture,
      request('count_thing', { project: 'agent:local:other' }, { recordingSessionId: SESSION_A }),
    );
    expect(result.output).toMatchObject({ error_kind: 'session_project_mismatch', mismatch: 'recorder' });
    expect(fixture.pairs.map((pair) => [pair.sessionId, pair.end?.result.success])).toEqual([[SESSION_A, false]]);
    expect(ran).toBe(0);
  });

  it('[01-A26] [04-A7] denies a shell in a read-only Session, in one failed pair and without a decision', async () => {
    const guarded = session(SESSION_A, {
      mode: 'read_only',
      guards: { deny_write_tools: true, deny_shell_tools: true },
    });
    const fixture = kernelFixture([shell], { sessions: [guarded] });
    const result = await run(fixture, request('run_thing', { ...demo, session_id: SESSION_A }));
    expect(result.output).toMatchObject({
      error_kind: 'session_guard_denied',
      guard: 'deny_shell_tools',
      mode: 'read_only',
      command_started: false,
    });
    expect(fixture.pairs).toHaveLength(1);
    expect(fixture.pairs[0]?.end?.permission).toBeNull();
    expect(fixture.permissionRequests).toBe(0);
    expect(fixture.rows[0]).toMatchObject({ outcome: 'denied', permissionRequestId: null });
  });

  it('[04-A8] denies a write in a read-only Session', async () => {
    const guarded = session(SESSION_A, {
      mode: 'read_only',
      guards: { deny_write_tools: true, deny_shell_tools: true },
    });
    const fixture = kernelFixture([edit], { sessions: [guarded] });
    const result = await run(fixture, request('edit_thing', { ...demo, session_id: SESSION_A }));
    expect(result.output).toMatchObject({ error_kind: 'session_guard_denied', guard: 'deny_write_tools' });
  });

  it('[01-A27] says closed before it says read-only', async () => {
    const closed = session(SESSION_A, {
      lifecycle: 'closed',
      mode: 'read_only',
      guards: { deny_write_tools: true, deny_shell_tools: true },
    });
    const fixture = kernelFixture([shell, read], { sessions: [closed] });
    const denied = await run(fixture, request('run_thing', { ...demo, session_id: SESSION_A }));
    expect(denied.output).toMatchObject({ error_kind: 'session_closed', command_started: false });
    const allowed = await run(fixture, request('read_thing', { ...demo, session_id: SESSION_A }));
    expect(allowed.success).toBe(true);
  });

  it('[04-A10] denies by policy before anything starts, with the decision in answer, ledger and row', async () => {
    let ran = 0;
    const counting = tool('run_thing', () => ({ result: success({ ran: (ran += 1) }) }), SHELL);
    const fixture = kernelFixture([counting], {
      sessions: [session(SESSION_A)],
      kernel: { authority: { mode: 'restricted', source: 'environment' } },
    });
    const result = await run(fixture, request('run_thing', { ...demo, session_id: SESSION_A }));
    expect(result.output).toMatchObject({
      error_kind: 'permission_denied',
      permission: { status: 'denied', reason: 'restricted_requires_human_authorization', risk: 'shell' },
    });
    const id = (result.output['permission'] as { request_id: string }).request_id;
    expect(fixture.pairs[0]?.end?.permission?.request_id).toBe(id);
    expect(fixture.rows[0]?.permissionRequestId).toBe(id);
    expect(ran).toBe(0);
  });

  it('[04-A11] denies what needs a decision in an invalid mode, and nothing else', async () => {
    const fixture = kernelFixture([edit, read], {
      kernel: { authority: { mode: 'invalid', source: 'environment', value: 'yolo' } },
    });
    const denied = await run(fixture, request('edit_thing', demo));
    expect(denied.output).toMatchObject({ permission: { reason: 'invalid_authority_mode:yolo' }, state_changed: false });
    expect(denied.success ? '' : denied.error).toContain('start it with trusted_agent or restricted');
    expect((await run(fixture, request('read_thing', demo))).success).toBe(true);
  });

  it('decides once, through the gateway as well, and the ledger holds that decision', async () => {
    const fixture = kernelFixture([shell, callRuntimeTool()], { sessions: [session(SESSION_A)] });
    await run(
      fixture,
      request('call_runtime_tool', { tool: 'run_thing', arguments: { ...demo, session_id: SESSION_A } }),
    );
    expect(fixture.permissionRequests).toBe(1);
    expect(fixture.pairs[0]?.end?.permission).toMatchObject({ status: 'auto_approved', tool_name: 'run_thing' });
    expect(fixture.rows[0]?.permissionRequestId).toBe(fixture.pairs[0]?.end?.permission?.request_id);
  });

  it('[04-A34] refuses an envelope inside a gateway call and does not run the target', async () => {
    let ran = 0;
    const counting = tool('count_thing', () => ({ result: success({ ran: (ran += 1) }) }));
    const fixture = kernelFixture([counting, callRuntimeTool()]);
    const result = await run(
      fixture,
      request('call_runtime_tool', { tool: 'count_thing', arguments: { ...demo, _wc: {} } }),
    );
    expect(result.output['error_kind']).toBe('invalid_arguments');
    expect(ran).toBe(0);
  });

  it('[04-A33] answers a foreign, missing or malformed ref alike, with an audit row and no event', async () => {
    const fixture = kernelFixture([read], { sessions: [session(SESSION_A)] });
    for (const ref of ['~s1', '~s9999', '~sbad', '~s0']) {
      const result = await run(fixture, request('read_thing', { ...demo, session_id: ref }, { recordingSessionId: SESSION_A }));
      expect(result.output['error_kind']).toBe('unknown_session_ref');
    }
    expect(fixture.pairs).toEqual([]);
    expect(fixture.rows).toHaveLength(4);
  });

  it('[01-A25] keeps the evidence of a read in a closed recorder', async () => {
    const fixture = kernelFixture([read], { sessions: [session(SESSION_A, { lifecycle: 'closed' })] });
    const result = await run(fixture, request('read_thing', demo, { recordingSessionId: SESSION_A }));
    expect(result.success).toBe(true);
    expect(fixture.pairs).toHaveLength(1);
    expect(fixture.pairs[0]?.end).not.toBeNull();
  });

  it('does not acknowledge what it could not record', async () => {
    const fixture = kernelFixture([edit], { sessions: [session(SESSION_A)], commitFails: true });
    const result = await run(fixture, request('edit_thing', { ...demo, session_id: SESSION_A }));
    expect(result.success).toBe(false);
    expect(result.output).toMatchObject({ error_kind: 'storage_unavailable', state_changed: null, unrecorded_success: true });
  });

  it('answers its own faults without their text, and keeps that for the log', async () => {
    const broken = tool('broken_thing', () => {
      throw new Error('secret of the implementation');
    });
    const fixture = kernelFixture([broken]);
    const result = await run(fixture, request('broken_thing', demo));
    expect(result.output).toMatchObject({ error_kind: 'internal_error', state_changed: false });
    expect(JSON.stringify(result)).not.toContain('secret of');
    expect(fixture.faults).toHaveLength(1);
  });

  it('[04-A21] answers a call over MCP that outlives the hard bound as unknown', async () => {
    const endless = tool('edit_thing', () => new Promise(() => undefined), WRITE);
    const fixture = kernelFixture([endless], { kernel: { hardTimeoutMs: 20 } });
    const result = await run(fixture, request('edit_thing', demo, { adapter: 'mcp_2026' }));
    expect(result.output).toMatchObject({
      error_kind: 'dispatch_hard_timeout',
      state_changed: null,
      execution_state: 'outcome_unknown',
    });
    expect(fixture.rows[0]?.outcome).toBe('timed_out');
  });
});
