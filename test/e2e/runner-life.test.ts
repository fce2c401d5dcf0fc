import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, type DaemonClient } from '../../src/client/index.js';
import type { JsonObject, ToolResult } from '../../src/protocol/tool-result.js';
import { isAlive } from '../daemon/runner-link/link-harness.js';

const WC = join(import.meta.dirname, '..', '..', 'bin', 'webcodex');

let folder: string;
let env: Record<string, string>;
let clients: DaemonClient[];
let stopped: number[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wc-life-'));
  mkdirSync(join(folder, 'project'));
  mkdirSync(join(folder, 'state'), { mode: 0o700 });
  execFileSync('git', ['init', '-q', join(folder, 'project')]);
  env = { PATH: process.env['PATH'] ?? '', HOME: folder, WC_HOME: join(folder, 'state') };
  clients = [];
  stopped = [];
});
afterEach(() => {
  for (const pid of stopped) signal(pid, 'SIGCONT');
  for (const client of clients) client.close();
  spawnSync(WC, ['daemon', 'stop'], { env, stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

function configure(runner: JsonObject): void {
  writeFileSync(join(folder, 'state', 'config.json'), JSON.stringify({ runner }));
}

async function workingClient(): Promise<DaemonClient> {
  const wc = await connect({ adapter: 'cli', env });
  clients.push(wc);
  const work = await wc.callTool('work_on_project', {
    arguments: { client_id: 'local', path: join(folder, 'project'), instruction: 'watch over the Runner' },
  });
  expect(work).toMatchObject({ success: true });
  return wc;
}

const call = (wc: DaemonClient, tool: string, args: JsonObject): Promise<ToolResult> =>
  wc.callTool(tool, { arguments: args }, { repeatable: true });

async function runJob(wc: DaemonClient, command: string): Promise<string> {
  const started = await wc.callTool('run_job', { arguments: { project: 'project', command } });
  expect(started).toMatchObject({ success: true });
  return started.output['job_id'] as string;
}

async function observed(wc: DaemonClient, jobId: string, more: JsonObject = {}): Promise<JsonObject> {
  const result = await call(wc, 'observe_jobs', { items: [{ job_id: jobId, ...more }] });
  return (result.output['items'] as JsonObject[])[0] ?? {};
}

async function listed(wc: DaemonClient, jobId: string): Promise<JsonObject | undefined> {
  const result = await call(wc, 'list_jobs', {});
  return (result.output['jobs'] as JsonObject[]).find((job) => job['job_id'] === jobId);
}

async function runnerPid(wc: DaemonClient): Promise<number> {
  return until('the daemon has a Runner', async () => (await wc.ensure()).runner?.pid ?? null);
}

function stopRunner(pid: number): void {
  stopped.push(pid);
  process.kill(pid, 'SIGSTOP');
}

async function until<Value>(what: string, fact: () => Promise<Value | null> | Value | null, withinMs = 15_000): Promise<Value> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await fact();
    if (value !== null && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`it did not come true within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

const project = (name: string): string => join(folder, 'project', name);

describe('the daemon dies', () => {
  it('[03-A12] its Job is the same one for the next daemon: an old token resets, and there was one start', async () => {
    const wc = await workingClient();
    const jobId = await runJob(wc, 'echo started >>starts; echo line; while [ ! -e go ]; do sleep 0.05; done; echo done >>starts');
    const token = (await until('it printed', async () => {
      const item = await observed(wc, jobId);
      return item['stdout_tail'] === 'line\n' ? item : null;
    }))['observation_token'];
    process.kill((await wc.ensure()).pid, 'SIGKILL');
    const item = await observed(wc, jobId, { after_observation_token: token as string });
    expect(item).toMatchObject({ success: true, job_id: jobId, status: 'running', log_delta_status: 'reset', stdout_tail: 'line\n' });
    writeFileSync(project('go'), '');
    await until('it ended', async () => (await observed(wc, jobId))['status'] === 'completed');
    expect(readFileSync(project('starts'), 'utf8')).toBe('started\ndone\n');
  });

  it('a Runner that the next daemon takes up gets the settings that are in force by then', async () => {
    const wc = await workingClient();
    const jobId = await runJob(wc, 'sleep 60');
    const runner = await runnerPid(wc);
    configure({ allow_raw_shell: false, shell: { env: { GREETING: 'hello' } } });
    process.kill((await wc.ensure()).pid, 'SIGKILL');
    const refused = await call(wc, 'run_shell', { project: 'project', command: 'touch made' });
    expect(refused).toMatchObject({
      success: false,
      output: { error_kind: 'permission_denied', reason_code: 'raw_shell_disabled', execution_state: 'not_started', command_started: false },
    });
    expect(existsSync(project('made'))).toBe(false);
    expect(await runnerPid(wc)).toBe(runner);
    expect(await listed(wc, jobId)).toMatchObject({ status: 'running' });
    expect(await call(wc, 'stop_job', { project: 'project', job_id: jobId, confirm: true })).toMatchObject({ success: true });
  });
});

describe('the Runner dies', () => {
  it('[03-A13] its Job is lost and of unknown outcome, nothing of it runs on, and nothing is started again', async () => {
    const wc = await workingClient();
    const jobId = await runJob(wc, 'echo $$ >>starts; sleep 60 & echo $! >background; wait');
    const background = await until('it ran', () => (existsSync(project('background')) && Number(readFileSync(project('background'), 'utf8'))) || null);
    process.kill(await runnerPid(wc), 'SIGKILL');
    await until('it is lost', async () => (await observed(wc, jobId))['status'] === 'lost');
    for (const job of [await observed(wc, jobId), await listed(wc, jobId)]) {
      expect(job).toMatchObject({
        status: 'lost',
        outcome: 'outcome_unknown',
        execution_state: 'outcome_unknown',
        failure_kind: 'outcome_unknown',
        reason: 'runner_instance_replaced',
      });
    }
    await until('what it left was ended', () => !isAlive(background) || null);
    expect(readFileSync(project('starts'), 'utf8').trim().split('\n')).toHaveLength(1);
  });

  it('the ends of its Jobs are still answered: listed, observed, read, waited for, also by the next daemon', async () => {
    const wc = await workingClient();
    const jobId = await runJob(wc, 'echo out; exit 3');
    const seen = await until('it ended', async () => {
      const item = await observed(wc, jobId);
      return item['terminal'] === true ? item : null;
    });
    const runner = await runnerPid(wc);
    const facts = { job_id: jobId, status: 'failed', outcome: 'failed', exit_code: 3, execution_state: 'completed', stdout_lines: 1 };
    const check = async (): Promise<void> => {
      expect(await listed(wc, jobId)).toMatchObject(facts);
      expect(await observed(wc, jobId)).toMatchObject({ ...facts, success: true, log_delta_status: 'baseline', stdout_tail: '' });
      const old = { after_observation_token: seen['observation_token'] as string };
      expect(await observed(wc, jobId, old)).toMatchObject({ ...facts, success: true });
      expect(await call(wc, 'read_job_tail', { job_id: jobId })).toMatchObject({ success: true, output: facts });
      expect(await call(wc, 'wait_for_job_readiness', { job_ids: [jobId], mode: 'all', wait_secs: 5 })).toMatchObject({
        output: { wait_state: 'ready', ready: [{ job_id: jobId, status: 'failed', outcome: 'failed', ready_reason: 'terminal' }] },
      });
      expect(await call(wc, 'stop_job', { project: 'project', job_id: jobId, confirm: true })).toMatchObject({
        success: true,
        output: { ...facts, stop_effect: 'already_finished' },
      });
    };
    process.kill(runner, 'SIGKILL');
    await until('there is another Runner', async () => (await runnerPid(wc)) !== runner || null);
    await check();
    spawnSync(WC, ['daemon', 'stop'], { env, stdio: 'ignore' });
    await check();
  });
});

describe('the Runner is stopped', () => {
  it('its Jobs are recovering within seconds, starts are refused at once, and all is as before when it goes on', async () => {
    const wc = await workingClient();
    const jobId = await runJob(wc, 'sleep 60');
    expect((await observed(wc, jobId))['status']).toBe('running');
    const runner = await runnerPid(wc);
    stopRunner(runner);
    const since = performance.now();
    await until('its Job is recovering', async () => (await listed(wc, jobId))?.['status'] === 'recovering', 8_000);
    expect(performance.now() - since).toBeLessThan(8_000);
    expect(await observed(wc, jobId)).toMatchObject({ success: true, status: 'recovering', terminal: false, outcome: null });
    expect(await call(wc, 'list_jobs', { status: 'recovering' })).toMatchObject({ output: { total_count: 1 } });
    expect(await call(wc, 'stop_job', { project: 'project', job_id: jobId, confirm: true })).toMatchObject({
      success: false,
      output: { error_kind: 'runner_unavailable_recovering', state_changed: false },
    });
    expect(await call(wc, 'run_shell', { project: 'project', command: 'touch made' })).toMatchObject({
      success: false,
      output: { error_kind: 'runner_unavailable', execution_state: 'not_started' },
    });
    const waiting = call(wc, 'wait_for_job_readiness', { job_ids: [jobId], mode: 'all', wait_secs: 30, ready_when: { output_literal: 'never' } });
    process.kill(runner, 'SIGCONT');
    await until('its Job runs', async () => (await listed(wc, jobId))?.['status'] === 'running', 2_000);
    expect(existsSync(project('made'))).toBe(false);
    expect(await call(wc, 'stop_job', { project: 'project', job_id: jobId, confirm: true })).toMatchObject({ output: { stop_effect: 'stopped' } });
    expect(await waiting).toMatchObject({ output: { wait_state: 'ready', ready: [{ job_id: jobId, status: 'stopped' }] } });
  });

  it('for longer than runner.recovery_secs: its Job is lost for good, and what still runs of it can be stopped', async () => {
    configure({ recovery_secs: 5 });
    const wc = await workingClient();
    const jobId = await runJob(wc, 'echo $$ >pid; sleep 60');
    const pid = await until('it ran', () => (existsSync(project('pid')) && Number(readFileSync(project('pid'), 'utf8'))) || null);
    const runner = await runnerPid(wc);
    stopRunner(runner);
    const lost = { status: 'lost', outcome: 'outcome_unknown', reason: 'runner_recovery_deadline_exceeded' };
    await until('its Job is lost', async () => (await listed(wc, jobId))?.['status'] === 'lost', 20_000);
    expect(await listed(wc, jobId)).toMatchObject(lost);
    process.kill(runner, 'SIGCONT');
    await until('the Runner is used again', async () => (await call(wc, 'run_process', { project: 'project', executable: 'true' })).success || null);
    expect(await listed(wc, jobId)).toMatchObject(lost);
    expect(isAlive(pid)).toBe(true);
    expect(await call(wc, 'stop_job', { project: 'project', job_id: jobId, confirm: true })).toMatchObject({
      success: true,
      output: { ...lost, stop_effect: 'stopped' },
    });
    await until('it was ended', () => !isAlive(pid) || null);
    expect(await observed(wc, jobId)).toMatchObject(lost);
  });
});
