import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/protocol/tool-result.js';
import { isAlive, until } from '../runner-link/link-harness.js';
import { ExecutionHouse } from './execution-house.js';

let house: ExecutionHouse;

beforeEach(() => {
  house = new ExecutionHouse();
});
afterEach(() => house.close());

describe('lives of daemon and Runner', () => {
  test('[03-A12] a daemon restart during a Job: the same Job, an old token resets, one start', async () => {
    const first = house.daemon();
    const { job_id } = await first.output('run_job', { command: 'echo started >> starts; echo line; sleep 1.5; echo done >> starts' });
    await first.output('wait_for_job_readiness', { job_ids: [job_id], mode: 'all', wait_secs: 10, ready_when: { output_literal: 'line' } });
    const [seen] = (await first.output('observe_jobs', { items: [{ job_id }] }))['items'] as JsonObject[];
    await first.link.stop('leave');

    const second = house.daemon();
    const item = { job_id, after_observation_token: seen?.['observation_token'] };
    expect(await second.output('observe_jobs', { items: [item] })).toMatchObject({
      wake_reason: 'immediate',
      items: [{ success: true, job_id, status: 'running', log_delta_status: 'reset', stdout_tail: 'line\n' }],
    });
    const waited = await second.output('wait_for_job_readiness', { job_ids: [job_id], mode: 'all', wait_secs: 20 });
    expect(waited).toMatchObject({ ready: [{ job_id, status: 'completed', outcome: 'succeeded' }] });
    expect(house.lines('starts')).toEqual(['started', 'done']);
  });

  test('a wait with a token of an earlier daemon is answered at once', async () => {
    const first = house.daemon();
    const { job_id } = await first.output('run_job', { command: 'sleep 60' });
    const [seen] = (await first.output('observe_jobs', { items: [{ job_id }] }))['items'] as JsonObject[];
    await first.link.stop('leave');
    const begin = performance.now();
    const observed = await house.daemon().output('observe_jobs', { items: [{ job_id, after_observation_token: seen?.['observation_token'] }], wait_secs: 30 });
    expect(observed).toMatchObject({ items: [{ log_delta_status: 'reset' }] });
    expect(performance.now() - begin).toBeLessThan(10_000);
  });

  test('[03-A13] a Runner restart: its Jobs are lost and their outcome is unknown', async () => {
    const daemon = house.daemon();
    const { job_id } = await daemon.output('run_job', { command: 'echo $$ > pid; sleep 60' });
    await until(() => house.has('pid'), 'the Job ran');
    await until(() => house.isNoted(job_id as string), 'the Runner had noted what it started');
    const command = Number(house.lines('pid')[0]);
    const runner = daemon.link.state?.pid ?? 0;
    process.kill(runner, 'SIGKILL');
    await until(() => daemon.link.state !== null && daemon.link.state.pid !== runner, 'the next Runner was there');
    const [item] = (await daemon.output('observe_jobs', { items: [{ job_id }] }))['items'] as JsonObject[];
    expect(item).toMatchObject({ status: 'lost', outcome: 'outcome_unknown', execution_state: 'outcome_unknown', reason: 'runner_instance_replaced' });
    await until(() => !isAlive(command), 'what the Runner left was ended', 5_000);
    const { result } = await daemon.call('stop_job', { job_id, confirm: true });
    expect(result.output['stop_effect']).toBe('already_finished');
  });

  test('kill -9 of the Runner under a command: outcome_unknown, and never not_started', async () => {
    const daemon = house.daemon();
    const call = daemon.call('run_shell', { command: 'echo begun > begun; sleep 60' });
    await until(() => house.has('begun'), 'the command ran');
    await until(() => house.isNoted('"started"'), 'the Runner had noted what it started');
    process.kill(daemon.link.state?.pid ?? 0, 'SIGKILL');
    expect(await call).toMatchObject({
      result: {
        success: false,
        output: {
          error_kind: 'outcome_unknown',
          recovery_kind: 'reconcile',
          execution_state: 'outcome_unknown',
          failure_kind: 'outcome_unknown',
          command_started: true,
          command_completed: false,
          state_changed: null,
        },
      },
      facts: {
        effect: { stateChanged: null, commandStarted: true, commandCompleted: false, executionState: 'outcome_unknown' },
        failureExpectationResult: 'unexpected_failure',
      },
    });
    expect(await daemon.output('run_process', { executable: 'true' })).toMatchObject({ exit_code: 0 });
  });

  test('the daemon vanishes while a command is in its grace: the command goes on as a Job of the next daemon', async () => {
    const first = house.daemon();
    const call = first.call('run_shell', { command: 'echo started >> starts; sleep 1; echo done >> starts' });
    await until(() => house.has('starts'), 'the command ran');
    await first.link.stop('leave');
    expect((await call).result.output['error_kind']).toBe('outcome_unknown');
    const second = house.daemon();
    const [job] = (await second.output('list_jobs', {}))['jobs'] as JsonObject[];
    expect(job).toMatchObject({ execution_source: 'run_shell', published_after_disconnect: true });
    await second.output('wait_for_job_readiness', { job_ids: [job?.['job_id']], mode: 'all', wait_secs: 20 });
    expect(house.lines('starts')).toEqual(['started', 'done']);
  });

  test('kill -9 of the daemon with a Job: the next daemon takes the Runner up, same Job, one start', async () => {
    const doomed = await house.doomedDaemon('echo started >> starts; sleep 1.5; echo done >> starts');
    const job_id = doomed.jobId;
    await until(() => house.has('starts'), 'the Job ran');
    doomed.kill();
    const next = house.daemon();
    const [job] = (await next.output('list_jobs', {}))['jobs'] as JsonObject[];
    expect(job).toMatchObject({ job_id, status: 'running' });
    expect(next.link.state?.pid).toBe(doomed.runnerPid);
    expect(await next.output('wait_for_job_readiness', { job_ids: [job_id], mode: 'all', wait_secs: 20 })).toMatchObject({
      ready: [{ job_id, outcome: 'succeeded' }],
    });
    expect(house.lines('starts')).toEqual(['started', 'done']);
  });

  test('an ordinary stop ends the Jobs with the Runner', async () => {
    const daemon = house.daemon();
    await daemon.output('run_job', { command: 'echo $$ > pid; sleep 60' });
    await until(() => house.has('pid'), 'the Job ran');
    const command = Number(house.lines('pid')[0]);
    await daemon.link.stop('shutdown');
    expect(isAlive(command)).toBe(false);
  });
});
