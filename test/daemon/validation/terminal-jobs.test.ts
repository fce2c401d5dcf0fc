import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HandlerOutcome } from '../../../src/daemon/kernel/tool.js';
import type { JobView } from '../../../src/protocol/runner/jobs.js';
import type { TemporaryProject } from '../../runner/temporary-project.js';
import { taskHouse, type Result, type TaskHouse, type TaskHouseOptions } from '../task-house.js';
import { temporaryRepository } from '../temporary-repository.js';
import { admitted, endedJob, harnessOutput, scriptedValidator, TARGET, testsFailed } from './validation-scripts.js';

const NOW = 1_800_000_000;

let project: TemporaryProject;
let house: TaskHouse;
let cargo: ReturnType<typeof scriptedValidator>;
let sessionId: string;
let folder: string;
let now: number;

/** Opens the daemon's side over the folder of this test, anew after a restart. */
async function openHouse(options: Pick<TaskHouseOptions, 'limits'> = {}): Promise<void> {
  cargo = scriptedValidator('cargo_test');
  house = await taskHouse({ tools: [cargo.tool], now: () => now, folder, ...options });
}

beforeEach(async () => {
  now = NOW;
  folder = await realpath(await mkdtemp(join(tmpdir(), 'wc-ends-')));
  project = await temporaryRepository();
  await openHouse();
  await house.call('register_project', { path: project.folder, id: 'a' });
  sessionId = (await house.call('work_on_project', { project: 'a', instruction: 'fix the bug' })).output['session_id'] as string;
});
afterEach(async () => {
  await house.close();
  await project.remove();
  await rm(folder, { recursive: true, force: true });
});

async function validates(outcome: HandlerOutcome): Promise<void> {
  cargo.script.next = outcome;
  await house.call('cargo_test', { project: 'a', session_id: sessionId });
}
const summary = (): Promise<Result> => house.call('read_validation_summary', { session_id: sessionId });
const validationOf = ({ output }: Result) => output['validation'] as Record<string, unknown> & { readonly events: readonly Record<string, unknown>[] };
const terminalEvents = () =>
  house.sessions.snapshot(sessionId as never)?.events.filter(({ kind }) => kind === 'validation_job_terminal') ?? [];
function job(id: string, finishedAt: number, exitCode: number, changes: Partial<JobView> = {}): JobView {
  return endedJob(id, finishedAt, exitCode, { session_id: sessionId, ...changes });
}

describe('the ends of Jobs as evidence', () => {
  it('a Job that ended says what its whole output proves, when it ended, and nothing it printed', async () => {
    await validates(admitted('wc_job_1'));
    now = NOW + 100;
    house.runner.jobs = [job('wc_job_1', NOW + 10, 0)];
    house.runner.outputs.set('out_wc_job_1', `sensitive words\n${harnessOutput(3)}`);
    const result = await summary();
    expect(result.output['jobs']).toEqual({ status: 'reconciled' });
    expect(validationOf(result)).toMatchObject({
      status: 'passed',
      events_total: 1,
      events: [
        {
          event_kind: 'validation_job_terminal',
          tool_name: 'cargo_test',
          status: 'passed',
          job_id: 'wc_job_1',
          finished_at: NOW + 10,
          validation_target_id: TARGET.slice('target:'.length),
          counts: { passed: 3, failed: 0, ignored: 0, total: 3 },
        },
      ],
      current_evidence: { status: 'passed' },
    });
    expect(terminalEvents()).toMatchObject([
      { timestamp: NOW + 10, started_at: NOW + 8, duration_ms: 1_500, transport: 'system', project: 'agent:local:a', resolved_project: 'agent:local:a' },
    ]);
    expect(JSON.stringify(terminalEvents())).not.toContain('sensitive');
  });

  it('[06-A15] 20 readers at once, eviction and a restart: one event for one Job', async () => {
    await house.close();
    await openHouse({ limits: { eventsPerSession: 20 } });
    house.runner.jobs = [job('wc_job_1', NOW + 10, 0)];
    house.runner.outputs.set('out_wc_job_1', harnessOutput(3));
    await Promise.all(Array.from({ length: 20 }, summary));
    expect(terminalEvents()).toHaveLength(1);
    for (let run = 0; run < 12; run += 1) await validates(testsFailed(['x']));
    expect(terminalEvents()).toHaveLength(0);
    await summary();
    expect(terminalEvents()).toHaveLength(0);
    const { runner } = house;
    await house.close();
    await openHouse({ limits: { eventsPerSession: 20 } });
    house.runner.jobs = runner.jobs;
    expect((await summary()).output['jobs']).toEqual({ status: 'reconciled' });
    expect(terminalEvents()).toHaveLength(0);
  });

  it('[06-A16] with 64 markers one that nobody can ask for makes room; where none is, nothing is appended', async () => {
    const jobs = Array.from({ length: 64 }, (_value, index) => job(`wc_job_${index}`, NOW + index, 0));
    house.runner.jobs = jobs;
    await summary();
    expect(terminalEvents()).toHaveLength(64);
    house.runner.jobs = [...jobs.slice(1), job('wc_job_new', NOW + 100, 0)];
    await summary();
    expect(terminalEvents().map(({ job_id: id }) => id)).toContain('wc_job_new');
    // All 64 markers belong to Jobs that are retained; those that still run can be asked for later.
    const running = job('wc_job_1', NOW + 1, 0, { status: 'running', execution_state: 'running', outcome: null, exit_code: null, finished_at_ms: null });
    house.runner.jobs = [running, ...jobs.slice(2), job('wc_job_new', NOW + 100, 0), job('wc_job_late', NOW + 101, 0)];
    await summary();
    expect(terminalEvents().map(({ job_id: id }) => id)).not.toContain('wc_job_late');
  });

  it('more than 64 candidates are taken in none at all, and the answer says so', async () => {
    house.runner.jobs = Array.from({ length: 65 }, (_value, index) => job(`wc_job_${index}`, NOW + index, 0));
    expect((await summary()).output['jobs']).toEqual({ status: 'incomplete', reason_code: 'too_many_candidates' });
    expect(terminalEvents()).toHaveLength(0);
  });

  it('[06-A17] a Job passes, the same target fails later, the Job is read last: unresolved, and the time stays', async () => {
    await validates(admitted('wc_job_1'));
    now = NOW + 20;
    await validates(testsFailed(['x']));
    now = NOW + 30;
    house.runner.jobs = [job('wc_job_1', NOW + 10, 0)];
    house.runner.outputs.set('out_wc_job_1', harnessOutput(3));
    expect(validationOf(await summary())).toMatchObject({
      status: 'mixed',
      latest_status: 'failed',
      unresolved_failures: { count: 1 },
      resolved_failures: { count: 0 },
    });
    expect(house.sessions.snapshot(sessionId as never)?.session.updatedAt).toBe(NOW + 20);
  });

  it('[06-A18] an expectation holds as long as the call that declared it is retained', async () => {
    const expected = admitted('wc_job_1', { resultExpectation: 'failure' });
    await validates(expected);
    house.runner.jobs = [job('wc_job_1', NOW + 10, 101)];
    expect(validationOf(await summary())).toMatchObject({ expected_results: 1, unresolved_failures: { count: 0 } });

    await house.close();
    await openHouse({ limits: { eventsPerSession: 20 } });
    await validates(admitted('wc_job_2', { resultExpectation: 'failure' }));
    for (let run = 0; run < 12; run += 1) await validates(admitted(`wc_job_x${run}`));
    house.runner.jobs = [job('wc_job_2', NOW + 12, 101)];
    expect(validationOf(await summary())).toMatchObject({ expected_results: 0, unresolved_failures: { count: 1 } });
  });

  it.each([
    ['timed_out', { status: 'timed_out', execution_state: 'timed_out', exit_code: null, failure_kind: 'timeout' }, 'timeout'],
    ['stopped', { status: 'stopped', execution_state: 'cancelled', exit_code: -1, failure_kind: 'cancelled' }, 'cancelled'],
    ['lost', { status: 'lost', execution_state: 'outcome_unknown', exit_code: null, failure_kind: 'outcome_unknown' }, 'execution_lost'],
    ['failed', { status: 'failed', exit_code: 101 }, 'command_exit_nonzero'],
  ] as const)('a Job that %s is a failure by its own name, and no expectation excuses what did not end by itself', async (status, changes, kind) => {
    await validates(admitted('wc_job_1', { resultExpectation: 'failure' }));
    house.runner.jobs = [job('wc_job_1', NOW + 10, 101, changes)];
    const { events } = validationOf(await summary());
    expect(events).toMatchObject([{ failure_kind: kind, status: status === 'failed' ? 'expected_result' : 'failed' }]);
  });

  it('a Job that ended well although its output tells of a failed test did not pass', async () => {
    house.runner.jobs = [job('wc_job_1', NOW + 10, 0)];
    house.runner.outputs.set(
      'out_wc_job_1',
      '\nrunning 1 test\n\nfailures:\n\n---- a stdout ----\nboom\n\nfailures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n',
    );
    expect(validationOf(await summary()).events).toMatchObject([{ status: 'failed', failure_kind: 'validation_failed', exit_code: 0 }]);
  });

  it('its minimum of tests travels with the Job', async () => {
    const { annotations } = job('wc_job_1', NOW, 0);
    house.runner.jobs = [job('wc_job_1', NOW + 10, 0, { annotations: { ...annotations, minimum_tests: 5 } })];
    house.runner.outputs.set('out_wc_job_1', harnessOutput(3));
    expect(validationOf(await summary())).toMatchObject({
      evidence_gaps: 1,
      unresolved_failures: { count: 0 },
      events: [{ status: 'evidence_gap', count_assertion: { minimum_tests: 5, actual_tests_run: 3, reason_code: 'minimum_not_met' } }],
    });
  });

  it('what the Runner cannot show at the moment is read the next time', async () => {
    house.runner.jobs = [job('wc_job_1', NOW + 10, 0)];
    house.runner.outputs.set('out_wc_job_1', harnessOutput(3));
    house.runner.failing.set('output/read', 'runner_unavailable');
    expect((await summary()).output['jobs']).toEqual({ status: 'incomplete', reason_code: 'output_unavailable' });
    expect(terminalEvents()).toHaveLength(0);
    house.runner.failing.set('jobs/list', 'runner_unavailable');
    expect((await summary()).output['jobs']).toEqual({ status: 'incomplete', reason_code: 'jobs_unavailable' });
    house.runner.failing.clear();
    expect(validationOf(await summary())).toMatchObject({ status: 'passed', events: [{ counts: { passed: 3 } }] });
  });

  it('an output that is gone for good proves no count', async () => {
    house.runner.jobs = [job('wc_job_1', NOW + 10, 0)];
    house.runner.failing.set('output/read', 'unknown_output_id');
    expect(validationOf(await summary()).events).toMatchObject([{ status: 'passed', counts: null, evidence_reason_code: 'output_truncated' }]);
  });

  it('other Sessions’ Jobs, Jobs of no check and Jobs without an end time leave nothing', async () => {
    house.runner.jobs = [
      job('wc_job_1', NOW, 0, { session_id: 'wc_sess_AAAAAAAAAAAAAAAA' }),
      job('wc_job_2', NOW, 0, { annotations: {} }),
      job('wc_job_3', NOW, 0, { annotations: { validation_identity: 'target:nonsense' } }),
      job('wc_job_4', NOW, 0, { finished_at_ms: null }),
    ];
    expect(validationOf(await summary()).events_total).toBe(0);
    expect(terminalEvents()).toHaveLength(0);
  });

  it('a plain test command’s Job resolves the same assertion, and stays no validator', async () => {
    const annotations = { assertion_name: 'unit' };
    house.runner.jobs = [
      job('wc_job_1', NOW + 1, 1, { source: 'run_job', annotations }),
      job('wc_job_2', NOW + 2, 0, { source: 'run_job', annotations }),
    ];
    expect(validationOf(await summary())).toMatchObject({
      status: 'not_run',
      reason: 'checks_ran_outside_validators',
      checks_outside_validators: { items: [{ outcome: 'failed', resolved: true }, { outcome: 'passed' }] },
    });
  });

  it('a closed Session takes the end of its Job and stays closed', async () => {
    await validates(admitted('wc_job_1'));
    await house.call('close_session', { session_id: sessionId });
    house.runner.jobs = [job('wc_job_1', NOW + 10, 0)];
    await summary();
    expect(terminalEvents()).toHaveLength(1);
    expect(house.sessions.snapshot(sessionId as never)?.session.lifecycle).toBe('closed');
  });

  it('a read of the Session shows the ends, and goes on where they cannot be taken in', async () => {
    await validates(admitted('wc_job_1'));
    house.runner.jobs = [job('wc_job_1', NOW + 10, 101)];
    house.runner.failing.set('jobs/list', 'runner_unavailable');
    const kinds = async () =>
      ((await house.call('read_session_summary', { session_id: sessionId })).output['events'] as { kind: string }[]).map(({ kind }) => kind);
    expect(await kinds()).toEqual(['task_instruction', 'tool_call_started', 'tool_call_finished']);
    house.runner.failing.clear();
    expect((await kinds()).at(-1)).toBe('validation_job_terminal');
  });

  it('finish_coding_task takes the ends in before it judges', async () => {
    await validates(admitted('wc_job_1'));
    house.runner.jobs = [job('wc_job_1', NOW + 10, 101)];
    const result = await house.call('finish_coding_task', { session_id: sessionId, include_workspace: false });
    expect(result.output['task_outcome']).toMatchObject({ status: 'fail', blocking_reasons: ['validation_failed'] });
  });
});
