import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../src/daemon/kernel/ports.js';
import { auditWorld, callRecord, failedCall, PROJECT, toolFacts, WINDOW } from './audit-fixture.js';

const RECORDER = 'wc_sess_recorder00000001' as CallRecord['recorder'];

describe('relations to Workflow Sessions', () => {
  const linksOf = async (...calls: CallRecord[]) => {
    const world = auditWorld();
    for (const call of calls) world.audit.record(call);
    return world.rows(
      `SELECT workflow_session_id AS session, workflow_session_relation AS relation, project, linked_at_ms
       FROM action_event_workflow_links ORDER BY rowid`,
    );
  };

  it('[05-A26] links an authorized recorder even when the tool failed, where a window is known', async () => {
    const failed = failedCall({ error_kind: 'not_found' }, { recorder: RECORDER, window: WINDOW });
    expect(await linksOf(failed)).toEqual([
      { session: RECORDER, relation: 'recording', project: PROJECT, linked_at_ms: 1_000_000_000 },
    ]);
    expect(await linksOf({ ...failed, window: null })).toEqual([]);
  });

  it('links work that was begun or resumed, and not work that failed', async () => {
    const outcomeFacts = { workedOnSession: { sessionId: 'wc_sess_work000000000001', project: PROJECT } };
    const begun = callRecord({ outcomeFacts, window: WINDOW, recorder: RECORDER });
    expect(await linksOf(begun)).toMatchObject([
      { session: RECORDER, relation: 'recording' },
      { session: 'wc_sess_work000000000001', relation: 'work_on_project' },
    ]);
    expect(await linksOf(failedCall({ error_kind: 'internal_error' }, { outcomeFacts, window: WINDOW }))).toEqual([]);
  });

  it('keeps the digest of the window and where it came from', async () => {
    const world = auditWorld();
    const timing = { transition: 'serial', continuityEligible: true, meaningful: true, recorderGap: RECORDER, previousMeaningfulCall: 'trace-1' } as const;
    world.audit.record(
      callRecord({ window: WINDOW, adapter: 'mcp_2026', windowTiming: timing, traceId: 'trace-2', handedAtMs: 1_000_000_007, responseStreaming: true }),
    );
    expect(await world.rows('SELECT * FROM action_events')).toMatchObject([
      {
        client_window_key: WINDOW,
        client_window_source: 'openai-session',
        server_trace_id: 'trace-2',
        window_transition_kind: 'serial',
        window_continuity_eligible: 1,
        window_meaningful: 1,
        recorder_gap_session_id: RECORDER,
        request_observed_at_ms: 1_000_000_000,
        response_handed_at_ms: 1_000_000_007,
        response_streaming: 1,
      },
    ]);
    expect((await world.newest()).summary).toMatchObject({
      transport: 'mcp',
      protocol_era: 'stateless_2026',
      previous_meaningful_call: 'trace-1',
    });
  });
});

describe('ids beside an event', () => {
  it('[05-A25] takes the permission that the server decided, and none that a client sent', async () => {
    const world = auditWorld();
    const denied = { outcome: 'denied' as const, rawArguments: { permission_request_id: 'wc_perm_forged' } };
    const output = { error_kind: 'permission_denied', permission: { request_id: 'wc_perm_0123', status: 'denied' } };
    world.audit.record(
      callRecord({ ...denied, result: { success: false, output, error: 'denied' }, permissionRequestId: output.permission.request_id }),
    );
    expect(await world.newest()).toMatchObject({ ids: { permission_request_id: 'wc_perm_0123' } });
    world.audit.record(callRecord({ ...denied, result: { success: false, output: {}, error: 'denied' } }));
    expect((await world.newest()).ids).toEqual({});
    expect((await world.storedBytes()).includes('forged')).toBe(false);
  });

  it('tells the Job that a tool was about from the one that an execution became', async () => {
    const world = auditWorld();
    const outcomeFacts = { jobId: 'job-1' as never };
    world.audit.record(callRecord({ facts: toolFacts({ category: 'job' }), outcomeFacts }));
    expect((await world.newest()).ids).toEqual({ job_id: 'job-1' });
    world.audit.record(callRecord({ facts: toolFacts({ category: 'execution', effect: 'execute' }), outcomeFacts }));
    expect((await world.newest()).ids).toEqual({ async_job_id: 'job-1' });
  });

  it('keeps the receipt of an execution: lifecycle, counts and verdict', async () => {
    const world = auditWorld();
    world.audit.record(
      callRecord({
        facts: toolFacts({ name: 'cargo_test', category: 'validation', effect: 'execute' }),
        outcomeFacts: {
          exitCode: 101,
          effect: { commandStarted: true, commandCompleted: true, executionState: 'completed' },
          resultExpectation: 'failure',
          failureExpectationResult: 'matched_expected_failure',
          validationOutput: { purpose: 'test', cwd: '/secret/path', stdoutTail: 'SENTINEL', stderrTail: '', truncated: false },
          telemetry: { validation: { tests_total: 12, tests_failed: 1, note: 'SENTINEL' } },
        },
      }),
    );
    expect((await world.newest()).summary['execution']).toEqual({
      execution_state: 'completed',
      command_started: true,
      command_completed: true,
      validation: { tests_total: 12, tests_failed: 1 },
      result_expectation: 'failure',
      expectation_result: 'matched_expected_failure',
    });
    expect((await world.storedBytes()).includes('SENTINEL')).toBe(false);
  });
});

describe('separation', () => {
  it('has no import between the Action Audit and Workflow Sessions, in either direction', () => {
    const importsOf = (domain: string) =>
      readdirSync(join('src/daemon', domain), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) => [...readFileSync(join('src/daemon', domain, file), 'utf8').matchAll(/from '([^']+)'/g)])
        .map(([, specifier]) => specifier!);
    expect(importsOf('audit').filter((specifier) => specifier.includes('/sessions/'))).toEqual([]);
    expect(importsOf('sessions').filter((specifier) => specifier.includes('/audit/'))).toEqual([]);
  });
});

describe('leaks', () => {
  const SENTINEL = 'SENTINEL-7f3a';
  /** A value of any shape in which every text holds the sentinel. */
  const planted = { text: SENTINEL, list: [SENTINEL, { [SENTINEL]: SENTINEL }], deep: { path: `${SENTINEL}/AGENTS.md`, stdout: SENTINEL } };

  it('stores nothing of arguments, results, messages, envelopes or unknown facts of any tool', async () => {
    const world = auditWorld();
    const classes = ['work_on_project', 'finish', 'instruction_read', 'readiness', 'job_terminal_wait', 'edit', 'edit_diff', 'edit_advanced', undefined] as const;
    const rawArguments = {
      ...planted,
      items: [{ path: `${SENTINEL}/AGENTS.md`, job_id: SENTINEL }],
      project: SENTINEL,
      session_id: SENTINEL,
      mode: SENTINEL,
      guidance_profile: SENTINEL,
      instruction: SENTINEL,
      command: `curl -H "Authorization: Bearer ${SENTINEL}"`,
    };
    const envelope = {
      present: { record: true, [SENTINEL]: true },
      ackCount: 3,
      contextKeys: [SENTINEL, 'memory.bootstrap'],
      controlBefore: SENTINEL,
      controlAfterSuccess: SENTINEL,
    };
    const telemetry = {
      ...planted,
      readiness: { mode: SENTINEL, wait_state: 'ready', ...planted },
      bootstrap: { workspace_status: SENTINEL, ...planted },
      validation: { tests_total: SENTINEL, ...planted },
      job_convergence: { observed: [{ job_id: `${SENTINEL} with a blank`, failure: SENTINEL }], ...planted },
      edit_outcome: SENTINEL,
    };
    for (const category of ['file', 'edit', 'execution', 'validation', 'job'] as const) {
      for (const telemetryClass of classes) {
        const facts = toolFacts({
          category,
          effect: category === 'execution' || category === 'validation' ? 'execute' : 'mutate',
          ...(telemetryClass === undefined ? {} : { telemetry: telemetryClass }),
        });
        const shared = {
          facts,
          rawArguments,
          envelope,
          window: WINDOW,
          outcomeFacts: {
            effect: { commandStarted: true },
            telemetry,
            contextResultSummary: { note: SENTINEL },
            failureKind: SENTINEL,
            failureExpectationResult: SENTINEL,
            assertionName: SENTINEL,
            observedPaths: [SENTINEL],
          },
        };
        world.audit.record(callRecord({ ...shared, result: { success: true, output: planted } }));
        world.audit.record(
          callRecord({
            ...shared,
            outcome: 'tool_failed',
            result: {
              success: false,
              output: { ...planted, error_kind: SENTINEL, failure_kind: SENTINEL, recovery_kind: SENTINEL, execution_state: SENTINEL },
              error: `${SENTINEL} was wrong`,
            },
          }),
        );
        world.audit.record(callRecord({ ...shared, facts: null, toolName: SENTINEL, outcome: 'refused' }));
      }
    }
    const bytes = await world.storedBytes();
    expect(await world.rows('SELECT count(*) AS n FROM action_events')).toEqual([{ n: 5 * classes.length * 3 }]);
    expect(bytes.includes('memory.bootstrap')).toBe(true);
    expect(bytes.includes(SENTINEL)).toBe(false);
    expect(bytes.includes(SENTINEL.toLowerCase())).toBe(false);
  });
});
