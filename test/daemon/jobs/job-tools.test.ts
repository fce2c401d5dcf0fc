import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { stopJobMethod } from '../../../src/protocol/runner/jobs.js';
import type { JsonObject } from '../../../src/protocol/tool-result.js';
import { ExecutionHouse, projectAt, sessionOn, type CallOptions, type DaemonSide } from '../execution/execution-house.js';

let house: ExecutionHouse;
let daemon: DaemonSide;
const started: string[] = [];

beforeAll(() => {
  house = new ExecutionHouse();
  daemon = house.daemon();
});
afterEach(async () => {
  for (const job_id of started.splice(0)) await daemon.call('stop_job', { job_id, confirm: true });
});
afterAll(() => house.close());

async function job(command: string, args: Record<string, unknown> = {}, options: CallOptions = {}): Promise<string> {
  const output = await daemon.output('run_job', { command, ...args }, options);
  const id = output['job_id'] as string;
  started.push(id);
  return id;
}

async function ended(id: string): Promise<void> {
  const waited = await daemon.output('wait_for_job_readiness', { job_ids: [id], mode: 'all', wait_secs: 20 });
  expect(waited['wait_state']).toBe('ready');
}

async function observeOne(id: string, more: Record<string, unknown> = {}, item: Record<string, unknown> = {}): Promise<JsonObject> {
  const { items } = await daemon.output('observe_jobs', { items: [{ job_id: id, ...item }], ...more });
  return (items as JsonObject[])[0] ?? {};
}

describe('list_jobs', () => {
  test('[04-A5] a limit of 5,000 is cut to 100', async () => {
    expect(await daemon.output('list_jobs', { limit: 5_000 })).toMatchObject({ effective_limit: 100 });
    expect(await daemon.output('list_jobs', { limit: -3 })).toMatchObject({ effective_limit: 1 });
  });

  test('newest first; filters are exact and come before the limit', async () => {
    const session = sessionOn(house.project);
    const mine = await job('sleep 60', {}, { session });
    const other = await job('sleep 60');
    const ids = async (filter: Record<string, unknown>): Promise<unknown[]> =>
      ((await daemon.output('list_jobs', filter))['jobs'] as JsonObject[]).map((found) => found['job_id']);
    expect((await ids({ status: 'running' })).slice(0, 2)).toEqual([other, mine]);
    expect(await ids({ session_id: session.sessionId })).toEqual([mine]);
    expect(await ids({ project: 'one', status: 'running' })).toEqual([other, mine]);
    expect(await daemon.output('list_jobs', { status: 'running', limit: 1 })).toMatchObject({ total_count: 2, returned_count: 1, truncated: true });
  });

  test('filters that name nothing say so', async () => {
    expect((await daemon.call('list_jobs', { project: 'nowhere' })).result.output['error_kind']).toBe('invalid_project_filter');
    expect((await daemon.call('list_jobs', { session_id: 'yesterday' })).result.output['error_kind']).toBe('invalid_session_filter');
    expect((await daemon.call('list_jobs', { status: 'started' })).result.output['error_kind']).toBe('invalid_arguments');
  });

  test('a Job in a project that the caller may not see is not there for them', async () => {
    const hidden = projectAt(house.projectPath, 'hidden');
    const output = await daemon.output('run_job', { command: 'sleep 60' }, { project: hidden });
    const job_id = output['job_id'] as string;
    try {
      const { jobs } = await daemon.output('list_jobs', {});
      expect((jobs as JsonObject[]).map((found) => found['job_id'])).not.toContain(job_id);
      expect(await observeOne(job_id)).toMatchObject({ success: false, error_kind: 'unknown_job' });
      expect((await daemon.call('read_job_output', { job_id })).result.output['error_kind']).toBe('unknown_job');
      expect((await daemon.call('wait_for_job_readiness', { job_ids: [job_id], mode: 'all', wait_secs: 1 })).result.output['error_kind']).toBe('unknown_job');
      expect((await daemon.call('stop_job', { job_id, confirm: true })).result.output['error_kind']).toBe('job_not_found');
    } finally {
      await daemon.link.call(stopJobMethod, { job_id });
    }
  });

  test('it holds no command text beyond a redacted first line', async () => {
    const id = await job('PASSWORD=swordfish sleep 60\necho second-line');
    const listed = JSON.stringify(await daemon.output('list_jobs', {}));
    expect(listed).toContain(id);
    expect(listed).not.toContain('swordfish');
    expect(listed).not.toContain('second-line');
  });
});

describe('observe_jobs', () => {
  test('[04-A6] [03-A11] nine items, or the same Job twice, are refused', async () => {
    const nine = Array.from({ length: 9 }, (_, index) => ({ job_id: `job-${index}` }));
    expect((await daemon.call('observe_jobs', { items: nine })).result.output['error_kind']).toBe('invalid_arguments');
    expect((await daemon.call('observe_jobs', { items: [{ job_id: 'a' }, { job_id: 'a' }] })).result.output['error_kind']).toBe('invalid_arguments');
  });

  test("[03-A11] another Job's token is an error of its own item", async () => {
    const [one, two] = [await job('echo one; sleep 60'), await job('echo two; sleep 60')];
    const token = (await observeOne(one))['observation_token'];
    const observed = await daemon.output('observe_jobs', {
      items: [
        { job_id: one, after_observation_token: token },
        { job_id: two, after_observation_token: token },
        { job_id: 'no-such-job' },
      ],
    });
    expect(observed).toMatchObject({
      items: [
        { index: 0, success: true, job_id: one },
        { index: 1, success: false, job_id: two, error_kind: 'invalid_observation_token' },
        { index: 2, success: false, job_id: 'no-such-job', error_kind: 'unknown_job' },
      ],
    });
  });

  test('a wait with a wrong item is no wait', async () => {
    const id = await job('sleep 60');
    const token = (await observeOne(id))['observation_token'];
    const observed = await daemon.output('observe_jobs', {
      items: [
        { job_id: id, after_observation_token: token },
        { job_id: 'no-such-job', after_observation_token: token },
      ],
      wait_secs: 30,
    });
    expect(observed).toMatchObject({ wake_reason: 'item_error' });
    expect(Number(observed['waited_ms'])).toBeLessThan(1_000);
  });

  test.each(['', 'x', 'é', 'A'.repeat(193), 'A'.repeat(1_000)])('a token that was never given is refused: %j', async (token) => {
    const id = await job('sleep 60');
    const { result } = await daemon.call('observe_jobs', { items: [{ job_id: id, after_observation_token: token }] });
    if (token === '') expect(result.output['error_kind']).toBe('invalid_arguments');
    else expect(result.output).toMatchObject({ items: [{ success: false, error_kind: 'invalid_observation_token' }] });
  });

  test('a token leads from what was seen to what is new', async () => {
    await daemon.output('run_process', { executable: 'mkfifo', args: ['gate'] });
    const id = await job('echo one; read -r line < gate; echo "$line"; sleep 60');
    await daemon.output('wait_for_job_readiness', { job_ids: [id], mode: 'all', wait_secs: 10, ready_when: { output_literal: 'one' } });
    const first = await observeOne(id);
    expect(first).toMatchObject({ log_delta_status: 'baseline', stdout_tail: 'one\n', stdout_range: { first_line: 1, last_line: 1 } });
    const item = { after_observation_token: first['observation_token'] };
    expect(await observeOne(id, {}, item)).toMatchObject({ log_delta_status: 'unchanged', stdout_tail: '' });
    const waiting = daemon.output('observe_jobs', { items: [{ job_id: id, ...item }], wait_secs: 20 });
    await daemon.output('run_shell', { command: 'echo two > gate' });
    expect(await waiting).toMatchObject({ wake_reason: 'updated', items: [{ log_delta_status: 'delta', stdout_tail: 'two\n', stdout_range: { first_line: 2, last_line: 2 } }] });
  });

  test('a summary leaves the output unread', async () => {
    const id = await job('echo line');
    await ended(id);
    const summary = await observeOne(id, { summary_only: true });
    expect(summary).toMatchObject({ status: 'completed', outcome: 'succeeded', terminal: true, stdout_lines: 1 });
    expect(summary).not.toHaveProperty('stdout_tail');
    expect(await observeOne(id, {}, { after_observation_token: summary['observation_token'] })).toMatchObject({ log_delta_status: 'delta', stdout_tail: 'line\n' });
  });

  test('over MCP a wait is cut to its bound, and the answer says so', async () => {
    const id = await job('sleep 60');
    const token = (await observeOne(id))['observation_token'];
    const observed = await daemon.output('observe_jobs', { items: [{ job_id: id, after_observation_token: token }], wait_secs: 100 }, { answerWithinMs: 2_500 });
    expect(observed).toMatchObject({ wake_reason: 'timeout', effective_wait_secs: 1 });
  });

  test('a wait that nobody waits for any more ends', async () => {
    const id = await job('sleep 60');
    const token = (await observeOne(id))['observation_token'];
    const gone = new AbortController();
    const begin = performance.now();
    const waiting = daemon.call('observe_jobs', { items: [{ job_id: id, after_observation_token: token }], wait_secs: 60 }, { disconnected: gone.signal });
    setTimeout(() => gone.abort(), 100);
    await waiting;
    expect(performance.now() - begin).toBeLessThan(10_000);
  });

  test('what it observed is said to the audit as numbers and ids', async () => {
    const id = await job('exit 3');
    await ended(id);
    const { facts } = await daemon.call('observe_jobs', { items: [{ job_id: id }] });
    expect(facts?.telemetry).toEqual({
      job_convergence: { observed: [{ job_id: id, failure: true, terminal_observed_at_ms: expect.any(Number) as number }], complete: true },
    });
  });
});

describe('wait_for_job_readiness', () => {
  test('[03-A14] any of [a, a, b], a ends', async () => {
    const [a, b] = [await job('until [ -e a-may-end ]; do sleep 0.02; done'), await job('sleep 60')];
    const waiting = daemon.call('wait_for_job_readiness', { job_ids: [a, a, b], mode: 'any', wait_secs: 20 });
    // The Runner hears requests in their order: it has looked at `a` when it has answered this one.
    await daemon.output('list_jobs', {});
    writeFileSync(join(house.projectPath, 'a-may-end'), '');
    const { result, facts } = await waiting;
    expect(result).toMatchObject({
      success: true,
      output: { wait_state: 'ready', ready: [{ job_id: a, status: 'completed', outcome: 'succeeded', ready_reason: 'terminal' }], pending_job_ids: [b], ready_count: 1, pending_count: 1 },
    });
    expect(facts?.telemetry).toEqual({
      readiness: {
        mode: 'any',
        requested_jobs: 3,
        unique_jobs: 2,
        waited_ms: expect.any(Number) as number,
        wait_state: 'ready',
        armed: true,
        ready_count: 1,
        pending_count: 1,
      },
    });
  });

  test('[03-A14] 46 seconds are refused, and 0 too', async () => {
    for (const wait_secs of [0, 46]) {
      const { result } = await daemon.call('wait_for_job_readiness', { job_ids: ['a'], mode: 'any', wait_secs });
      expect(result.output['error_kind']).toBe('invalid_arguments');
    }
  });

  test('a wait that found everything ready was not armed', async () => {
    const id = await job('true');
    await ended(id);
    const { facts } = await daemon.call('wait_for_job_readiness', { job_ids: [id], mode: 'all', wait_secs: 5 });
    expect(facts?.telemetry).toMatchObject({ readiness: { armed: false, wait_state: 'ready' } });
  });

  test('a deadline is a success', async () => {
    const id = await job('while :; do echo progress; sleep 0.1; done');
    const output = await daemon.output('wait_for_job_readiness', { job_ids: [id], mode: 'all', wait_secs: 1 });
    expect(output).toMatchObject({ wait_state: 'deadline', ready: [], pending_job_ids: [id] });
    expect(Number(output['waited_ms'])).toBeGreaterThanOrEqual(1_000);
    expect(Number(output['waited_ms'])).toBeLessThan(3_000);
  });

  test('one bad id fails the call before any wait', async () => {
    const id = await job('sleep 60');
    const begin = performance.now();
    const { result } = await daemon.call('wait_for_job_readiness', { job_ids: [id, 'no-such-job'], mode: 'any', wait_secs: 30 });
    expect(result.output['error_kind']).toBe('unknown_job');
    expect(performance.now() - begin).toBeLessThan(5_000);
  });

  test('nine different Jobs are refused, nine names of one are not', async () => {
    const nine = Array.from({ length: 9 }, (_, index) => `job-${index}`);
    expect((await daemon.call('wait_for_job_readiness', { job_ids: nine, mode: 'any', wait_secs: 1 })).result.output['error_kind']).toBe('invalid_arguments');
    const id = await job('true');
    expect(await daemon.output('wait_for_job_readiness', { job_ids: Array.from({ length: 9 }, () => id), mode: 'all', wait_secs: 20 })).toMatchObject({ ready_count: 1 });
  });

  test('[00-D28] ready by what it prints, and by its port', async () => {
    const free = await new Promise<number>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
      });
    });
    const server = await job(`node -e "require('net').createServer().listen(${free}, '127.0.0.1', () => console.log('listening on ' + ${free}))"`);
    const ready = (ready_when: JsonObject): Promise<JsonObject> => daemon.output('wait_for_job_readiness', { job_ids: [server], mode: 'all', wait_secs: 20, ready_when });
    expect(await ready({ tcp_port: free })).toMatchObject({ wait_state: 'ready', ready: [{ ready_reason: 'port', status: 'running', outcome: null }] });
    expect(await ready({ output_literal: 'listening' })).toMatchObject({ ready: [{ ready_reason: 'output' }] });
    expect(await ready({ output_regex: '^listening on \\d+$' })).toMatchObject({ ready: [{ ready_reason: 'output' }] });
    expect((await daemon.call('wait_for_job_readiness', { job_ids: [server], mode: 'all', wait_secs: 1, ready_when: { output_regex: '(' } })).result.output['error_kind']).toBe('invalid_pattern');
    expect((await daemon.call('wait_for_job_readiness', { job_ids: [server], mode: 'all', wait_secs: 1, ready_when: {} })).result.output['error_kind']).toBe('invalid_arguments');
  });
});

describe('stop_job', () => {
  test('[03-A10] [04-A26] without confirm nothing is stopped', async () => {
    const id = await job('sleep 60');
    for (const more of [{}, { confirm: false }]) {
      const { result, facts } = await daemon.call('stop_job', { job_id: id, ...more });
      expect(result.output).toMatchObject({ error_kind: 'confirmation_required', state_changed: false });
      expect(facts?.effect).toEqual({ stateChanged: false });
    }
    expect(await observeOne(id)).toMatchObject({ status: 'running' });
  });

  test('[03-A10] a Job that runs is stopped, one that has ended is already finished', async () => {
    const id = await job('sleep 60');
    const { result, facts } = await daemon.call('stop_job', { job_id: id, confirm: true });
    expect(result).toMatchObject({ success: true, output: { stop_effect: 'stopped', status: 'stopped', outcome: 'cancelled' } });
    expect(facts).toEqual({ jobId: id, effect: { stateChanged: true } });
    const again = await daemon.call('stop_job', { job_id: id, confirm: true });
    expect(again).toMatchObject({ result: { success: true, output: { stop_effect: 'already_finished' } }, facts: { effect: { stateChanged: false } } });
  });

  test('[03-A10] a Job of another Session is not stopped', async () => {
    const owner = sessionOn(house.project);
    const id = await job('sleep 60', {}, { session: owner });
    const { result } = await daemon.call('stop_job', { job_id: id, confirm: true }, { session: sessionOn(house.project) });
    expect(result.output['error_kind']).toBe('job_stop_forbidden');
    expect(await observeOne(id)).toMatchObject({ status: 'running', session_id: owner.sessionId });
    expect(await daemon.output('stop_job', { job_id: id, confirm: true }, { session: owner })).toMatchObject({ stop_effect: 'stopped' });
  });

  test('[03-A10] an id that names nothing, and a Job of another project', async () => {
    expect((await daemon.call('stop_job', { job_id: '../x', confirm: true })).result.output['error_kind']).toBe('job_not_found');
    const id = await job('sleep 60');
    const elsewhere = projectAt(house.projectPath, 'two');
    const { result } = await daemon.call('stop_job', { job_id: id, confirm: true }, { project: elsewhere });
    expect(result.output['error_kind']).toBe('job_project_mismatch');
  });

  test('it cleans up where commands may not be started', () => {
    expect(daemon.tool('stop_job').definition).toMatchObject({ risk: 'run_control', shell_like: false, allowed_on_closed: true });
  });
});

describe('output', () => {
  test('[00-D27] the error on line 3 of 5,000 is read back without a second run', async () => {
    const { result } = await daemon.call('run_shell', { command: 'echo run >> runs; seq 1 2; echo ERROR here; seq 4 5000; exit 1' });
    expect(result.output).toMatchObject({ exit_code: 1, stdout_lines: 5_000, stdout_truncated: true });
    expect(result.output['stdout_tail']).not.toContain('ERROR');
    const { output_id } = result.output;
    expect(await daemon.output('read_job_output', { output_id, start_line: 3, limit: 1 })).toMatchObject({
      text: 'ERROR here\n',
      first_line: 3,
      last_line: 3,
      next: { start_line: 4, skip_bytes: 0 },
      ended: true,
      total_lines: 5_000,
    });
    expect(house.lines('runs')).toEqual(['run']);
  });

  test('a whole output is read in pieces, through lines that never end', async () => {
    const id = await job('head -c 300000 /dev/zero | tr "\\0" x; echo; echo end');
    await ended(id);
    let text = '';
    let from: JsonObject | null = { start_line: 1, skip_bytes: 0 };
    for (let piece = 0; from !== null && piece < 20; piece += 1) {
      const read: JsonObject = await daemon.output('read_job_output', { job_id: id, ...from });
      text += read['text'] as string;
      from = read['next'] as JsonObject | null;
    }
    expect(from).toBeNull();
    expect(text).toBe(`${'x'.repeat(300_000)}\nend\n`);
  });

  test('exactly one of job_id and output_id, and it must name something', async () => {
    for (const args of [{}, { job_id: 'a', output_id: 'b' }]) {
      expect((await daemon.call('read_job_output', args)).result.output['error_kind']).toBe('invalid_arguments');
    }
    expect((await daemon.call('read_job_output', { job_id: 'a' })).result.output['error_kind']).toBe('unknown_job');
    expect((await daemon.call('read_job_output', { output_id: 'a' })).result.output['error_kind']).toBe('unknown_output_id');
  });

  test('read_job_tail shows one Job, is hidden from models, and says what is wrong', async () => {
    const id = await job('echo out; echo err >&2');
    await ended(id);
    expect(await daemon.output('read_job_tail', { job_id: id })).toMatchObject({ status: 'completed', stdout_tail: 'out\n', stderr_tail: 'err\n', wake_reason: 'immediate' });
    expect((await daemon.call('read_job_tail', { job_id: 'no-such-job' })).result).toMatchObject({ success: false, output: { error_kind: 'unknown_job' } });
    expect(daemon.tool('read_job_tail').definition.visibility).toBe('model_hidden');
  });
});
