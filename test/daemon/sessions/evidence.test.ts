import { expect, test } from 'vitest';
import type { JobId, SessionId } from '../../../src/protocol/ids.js';
import { eventRow, type SessionEvent } from '../../../src/daemon/sessions/event-row.js';
import { SHELL, tool, WRITE } from '../kernel/kernel-fixture.js';
import { bob, DEMO, evidenceEnd, evidenceStart, sessionsFixture } from './sessions-fixture.js';

const readTool = tool('read_things', () => ({ result: { success: true, output: {} } }));

async function summary(fixture: ReturnType<typeof sessionsFixture>, session: SessionId, limit?: number) {
  const { output } = await fixture.call('read_session_summary', { session_id: session, ...(limit === undefined ? {} : { limit }) });
  return output as Record<string, unknown> & { events: SessionEvent[]; counts: Record<string, number> };
}

test('[01-A19] 2,050 events, limit 500: 200 returned, 2,000 retained, 50 evicted, the slice begins at 1,850', async () => {
  const fixture = sessionsFixture();
  const { output } = await fixture.call('start_session', { project: DEMO });
  const session = output['session_id'] as SessionId;
  const pairs = Array.from({ length: 1_025 }, () => fixture.domain.openPair(session, evidenceStart()));
  await Promise.all(pairs.map((pair) => fixture.domain.closePair(pair, evidenceEnd())));
  const read = await summary(fixture, session, 500);
  expect(read).toMatchObject({
    events_total: 2_050,
    events_returned: 200,
    events_retained: 2_000,
    events_evicted: 50,
    retention_truncated: true,
    ledger_first_retained_sequence: 50,
    first_retained_sequence: 1_850,
    events_truncated: true,
  });
  expect(read.events).toHaveLength(200);
  // The counts cover the whole retained tail: 50 started events are gone, no finished one.
  expect(read.counts['tool_calls']).toBe(1_025);
});

test('[01-A20] 60 events, default limit: 50 returned, truncated by the limit, not by retention', async () => {
  const fixture = sessionsFixture();
  const { output } = await fixture.call('start_session', { project: DEMO });
  const session = output['session_id'] as SessionId;
  for (let calls = 0; calls < 30; calls += 1) await fixture.pair(session);
  expect(await summary(fixture, session)).toMatchObject({
    events_total: 60,
    events_returned: 50,
    events_truncated: true,
    retention_truncated: false,
    first_retained_sequence: 10,
  });
  expect((await summary(fixture, session, -5)).events).toEqual([]);
});

test('[01-A24] recorder = business: four raw events, one call; different: one in each', async () => {
  const fixture = sessionsFixture().withTools(readTool);
  const one = await fixture.begin();
  await fixture.call('read_things', { project: DEMO, session_id: one }, { recordingSessionId: one });
  const both = await summary(fixture, one);
  expect(both.events.map((event) => event.kind)).toEqual([
    'task_instruction',
    'tool_call_started',
    'tool_call_started',
    'tool_call_finished',
    'tool_call_finished',
  ]);
  expect(both.counts).toMatchObject({ tool_calls: 1, succeeded: 1, read_like: 1, task_instructions: 1 });

  const [two, three] = [await fixture.begin(), await fixture.begin()];
  await fixture.call('read_things', { project: DEMO, session_id: two }, { recordingSessionId: three });
  expect((await summary(fixture, two)).counts['tool_calls']).toBe(1);
  expect((await summary(fixture, three)).counts['tool_calls']).toBe(1);
});

test('[01-A25] a Closed recorder takes two events of a read and stays Closed', async () => {
  const fixture = sessionsFixture().withTools(readTool);
  const session = await fixture.begin();
  await fixture.close(session);
  const before = await summary(fixture, session);
  const answer = await fixture.call('read_things', { project: DEMO }, { recordingSessionId: session });
  expect(answer).toMatchObject({
    success: true,
    output: { session_recorded: true, session_id: session, session_hint: { events_total: 4, events_retained: 4 } },
  });
  const after = await summary(fixture, session);
  expect(after['events_total']).toBe((before['events_total'] as number) + 2);
  expect(after['lifecycle']).toBe('closed');
  expect(fixture.domain.counts().hot).toBe(0);
});

test('[01-A26] read_only denies a shell: one failed pair in the Session', async () => {
  const fixture = sessionsFixture().withTools(tool('run_it', () => ({ result: { success: true, output: {} } }), SHELL));
  const session = await fixture.begin({ mode: 'read_only' });
  const answer = await fixture.call('run_it', { project: DEMO, session_id: session });
  expect(answer).toMatchObject({
    success: false,
    output: { error_kind: 'session_guard_denied', guard: 'deny_shell_tools', mode: 'read_only', command_started: false },
  });
  const read = await summary(fixture, session);
  expect(read.counts).toMatchObject({ tool_calls: 1, failed: 1, shell_like: 1 });
  expect(read.events.at(-1)).toMatchObject({
    kind: 'tool_call_finished',
    status: 'failed',
    error_kind: 'session_guard_denied',
    error_message_summary: null,
  });
});

test('[01-A27] Closed comes before guards', async () => {
  const fixture = sessionsFixture().withTools(tool('run_it', () => ({ result: { success: true, output: {} } }), SHELL));
  const session = await fixture.begin({ mode: 'read_only' });
  await fixture.close(session);
  const answer = await fixture.call('run_it', { project: DEMO, session_id: session });
  expect(answer.output).toMatchObject({ error_kind: 'session_closed', command_started: false });
});

test('a pair holds the facts of the contract, and nothing that the definition does not list', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  const pair = fixture.domain.openPair(
    session,
    evidenceStart({
      facts: { ...evidenceStart().facts, ...WRITE, name: 'edit_project_files', git_like: true, recorded_inputs: ['dry_run', 'path'] },
      inputs: { dry_run: false, path: '/srv/x', content: 'BODY' },
      role: 'recorder',
      requestProject: '~p1',
    }),
  );
  fixture.time += 3;
  await fixture.domain.closePair(
    pair,
    evidenceEnd({
      outcome: {
        changedPaths: ['src/a.ts', '/etc/x'],
        observedPaths: ['src/b.ts'],
        exitCode: 0,
        jobId: 'job_1' as JobId,
        effect: { stateChanged: true, commandStarted: true, commandCompleted: true, executionState: 'completed' },
        resultExpectation: 'observe',
        acceptedExitCodes: [0, 1],
        assertionName: 'unit',
        failureExpectationResult: 'none',
        contextResultSummary: { files: 1, api_token: 'x' },
      },
      permission: {
        required: true,
        policy: 'trusted_agent',
        request_id: `wc_perm_${'0'.repeat(32)}`,
        status: 'auto_approved',
        reason: 'trusted_agent_authority',
        risk: 'write',
        tool_name: 'edit_project_files',
        project: DEMO,
      },
    }),
  );
  const [started, finished] = (await summary(fixture, session)).events.slice(-2) as [SessionEvent, SessionEvent];
  const shared = {
    session_id: session,
    transport: 'cli',
    tool_name: 'edit_project_files',
    risk_class: 'project_write',
    read_like: false,
    write_like: true,
    shell_like: false,
    git_like: true,
    change_summary_like: false,
    project: '~p1',
    started_at: 1_800_000_000,
    input_summary: { dry_run: false, path: '[absolute path]' },
    call_id: pair.pairId,
    logical_invocation_id: `wc_inv_${'0'.repeat(32)}`,
    logical_invocation_role: 'recorder',
  };
  expect(started).toEqual({
    ...shared,
    event_id: started.event_id,
    kind: 'tool_call_started',
    timestamp: 1_800_000_000,
    changed_paths: [],
    resolved_project: null,
    finished_at: null,
    duration_ms: null,
    status: null,
    exit_code: null,
    failure_kind: null,
    error_kind: null,
    error_message_summary: null,
    job_id: null,
  });
  expect(finished).toEqual({
    ...shared,
    event_id: finished.event_id,
    kind: 'tool_call_finished',
    timestamp: 1_800_000_003,
    changed_paths: ['src/a.ts'],
    resolved_project: DEMO,
    finished_at: 1_800_000_003,
    duration_ms: finished.duration_ms,
    status: 'succeeded',
    exit_code: 0,
    failure_kind: null,
    error_kind: null,
    error_message_summary: null,
    job_id: 'job_1',
    context_result_summary: { files: 1, api_token: '[redacted]' },
    result_expectation: 'observe',
    accepted_exit_codes: [0, 1],
    assertion_name: 'unit',
    failure_expectation_result: 'none',
    observed_paths: ['src/b.ts'],
    effect_evidence: { state_changed: true, command_started: true, command_completed: true, execution_state: 'completed' },
    permission: finished.permission,
  });
  expect(fixture.domain.snapshot(session)).toMatchObject({ repositoryEditObserved: true });
});

test('a project mismatch names both projects', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  await fixture.pair(
    session,
    { requestProject: 'agent:local:other' },
    {
      result: {
        success: false,
        output: { error_kind: 'session_project_mismatch', request_project: 'agent:local:other' },
        error: 'the Session belongs to another project',
      },
      resolvedProject: null,
    },
  );
  expect((await summary(fixture, session)).events.at(-1)).toMatchObject({
    status: 'failed',
    session_project: DEMO,
    request_project: 'agent:local:other',
    error_message_summary: 'the Session belongs to another project',
  });
});

test('half a correlation is no event', () => {
  const event = {
    event_id: `evt_${'0'.repeat(32)}`,
    session_id: 'wc_sess_AAAAAAAAAAAAAAAA',
    kind: 'session_closed',
    timestamp: 1,
    transport: 'system',
    tool_name: 'close_session',
    risk_class: 'workflow_manage',
    ...Object.fromEntries(['read_like', 'write_like', 'shell_like', 'git_like', 'change_summary_like'].map((name) => [name, false])),
    changed_paths: [],
    ...Object.fromEntries(
      ['project', 'resolved_project', 'started_at', 'finished_at', 'duration_ms', 'status', 'exit_code', 'failure_kind', 'error_kind', 'error_message_summary', 'job_id', 'input_summary'].map((name) => [name, null]),
    ),
  };
  expect(eventRow.safeParse(event).success).toBe(true);
  expect(eventRow.safeParse({ ...event, logical_invocation_id: `wc_inv_${'0'.repeat(32)}` }).success).toBe(false);
  expect(eventRow.safeParse({ ...event, logical_invocation_role: 'recorder' }).success).toBe(false);
  expect(eventRow.safeParse({ ...event, command: 'rm -rf /' }).success).toBe(false);
});

test('the wall clock going back turns no duration and no order around', async () => {
  const fixture = sessionsFixture();
  const session = await fixture.begin();
  const updated = fixture.domain.snapshot(session)?.session.updatedAt;
  const pair = fixture.domain.openPair(session, evidenceStart());
  fixture.time -= 1_000;
  await fixture.domain.closePair(pair, evidenceEnd());
  const finished = (await summary(fixture, session)).events.at(-1);
  expect(finished?.finished_at).toBe(1_800_000_000);
  expect(finished?.duration_ms).toBeGreaterThanOrEqual(0);
  expect(fixture.domain.snapshot(session)?.session.updatedAt).toBe(updated);
});

test('a recorder is authorized before anything is written: a foreign one leaves no event anywhere', async () => {
  const fixture = sessionsFixture().withTools(readTool);
  const [hers, his] = [await fixture.begin(), await fixture.begin({ owner: bob })];
  const denied = await fixture.call('read_things', { project: DEMO, session_id: his }, { principal: bob, recordingSessionId: hers });
  expect(denied).toMatchObject({ success: false, output: { error_kind: 'session_authority_denied' } });
  expect(fixture.domain.snapshot(hers)?.eventsObserved).toBe(1);
  expect(fixture.domain.snapshot(his)?.eventsObserved).toBe(1);
});
