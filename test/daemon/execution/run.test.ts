import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Progress } from '../../../src/protocol/api.js';
import type { JsonObject } from '../../../src/protocol/tool-result.js';
import { isAlive, until } from '../runner-link/link-harness.js';
import { ExecutionHouse, sessionOn, type DaemonSide } from './execution-house.js';

let house: ExecutionHouse;
let daemon: DaemonSide;

beforeAll(() => {
  house = new ExecutionHouse();
  daemon = house.daemon();
});
afterAll(() => house.close());

const inProject = (name: string): string => join(house.projectPath, name);
const text = (name: string): string => (existsSync(inProject(name)) ? readFileSync(inProject(name), 'utf8') : '');

describe('bounds', () => {
  test.each(['run_shell', 'run_job'])('[03-A1] [04-A22] a command of 16,001 bytes is refused by %s and not started', async (tool) => {
    expect(await daemon.call(tool, { command: 'x'.repeat(16_001) })).toMatchObject({
      result: { success: false, output: { error_kind: 'invalid_arguments', execution_state: 'not_started', command_started: false } },
    });
    // Bytes, not characters.
    const { result } = await daemon.call(tool, { command: 'é'.repeat(8_001) });
    expect(result.output).toMatchObject({ error_kind: 'invalid_arguments', execution_state: 'not_started' });
  });

  test('[03-A1] 16,000 single quotes run, and end with 127', async () => {
    const { result } = await daemon.call('run_shell', { command: "'".repeat(16_000), shell: 'bash' });
    expect(result.output).toMatchObject({ execution_state: 'completed', exit_code: 127, failure_kind: 'command_exit_nonzero', shell: 'bash' });
  });

  test('[04-A22] a command of 16,000 bytes runs', async () => {
    const padding = `true #${'x'.repeat(16_000 - 'true #'.length)}`;
    expect(await daemon.output('run_shell', { command: padding })).toMatchObject({ execution_state: 'completed', exit_code: 0 });
    expect(await daemon.output('run_job', { command: padding })).toMatchObject({ job_id: expect.any(String) as string });
  });

  test.each([
    ['an executable of 1,025 bytes', { executable: 'x'.repeat(1_025) }],
    ['an empty executable', { executable: '' }],
    ['257 arguments', { executable: 'true', args: Array.from({ length: 257 }, () => '') }],
    ['an argument of 8,193 bytes', { executable: 'true', args: ['x'.repeat(8_193)] }],
    ['16,001 bytes together', { executable: 'true', args: ['x'.repeat(8_000), 'x'.repeat(16_001 - 8_000 - 4 - 2)] }],
    ['a NUL', { executable: 'true', args: ['\0'] }],
    ['65,537 bytes of standard input', { executable: 'true', stdin: 'x'.repeat(65_537) }],
    ['a folder of 1,025 bytes', { executable: 'true', cwd: 'x'.repeat(1_025) }],
    ['33 exit codes', { executable: 'true', accepted_exit_codes: Array.from({ length: 33 }, (_, code) => code) }],
    ['exit code 256', { executable: 'true', accepted_exit_codes: [256] }],
    ['no exit codes', { executable: 'true', accepted_exit_codes: [] }],
    ['a blank assertion name', { executable: 'true', assertion_name: ' ' }],
    ['an assertion name of two lines', { executable: 'true', assertion_name: 'a\nb' }],
    ['an assertion name that is a credential', { executable: 'true', assertion_name: `ghp_${'a1B2'.repeat(9)}` }],
    ['an unknown field', { executable: 'true', env: { A: 'b' } }],
  ])('%s is refused and not started', async (_name, args) => {
    const { result } = await daemon.call('run_process', args);
    expect(result.output).toMatchObject({ error_kind: 'invalid_arguments', execution_state: 'not_started', command_started: false });
  });

  test.each(['run_shell', 'run_job'])('[06-A9] %s takes no accepted exit codes: it is refused and not started', async (tool) => {
    const { result } = await daemon.call(tool, { command: 'touch ran-all-the-same', accepted_exit_codes: [0, 1] });
    expect(result.output).toMatchObject({ error_kind: 'invalid_arguments', execution_state: 'not_started', command_started: false });
    expect(existsSync(join(house.projectPath, 'ran-all-the-same'))).toBe(false);
  });

  test('16,000 bytes together run', async () => {
    const args = ['x'.repeat(8_000), 'x'.repeat(16_000 - 8_000 - 4 - 2)];
    expect(await daemon.output('run_process', { executable: 'true', args })).toMatchObject({ exit_code: 0 });
  });

  test('[03-A3] a time-out below 1 is refused, one above 3,600 is cut and said', async () => {
    const { result } = await daemon.call('run_process', { executable: 'true', timeout_secs: 0 });
    expect(result.output).toMatchObject({ error_kind: 'invalid_arguments', execution_state: 'not_started' });
    expect(await daemon.output('run_process', { executable: 'true', timeout_secs: 99_999 })).toMatchObject({ effective_timeout_secs: 3_600 });
    expect(await daemon.output('run_shell', { command: 'true', timeout_secs: 99_999 })).toMatchObject({ effective_timeout_secs: 3_600 });
    expect(await daemon.output('run_job', { command: 'true', timeout_secs: 999_999 })).toMatchObject({ effective_timeout_secs: 604_800 });
    expect(await daemon.output('run_process', { executable: 'true' })).toMatchObject({ effective_timeout_secs: 60, sync_wait_secs: 10 });
  });
});

describe('literal arguments', () => {
  test('[03-A2] nothing in an argument is expanded', async () => {
    const print = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
    const output = await daemon.output('run_process', { executable: 'node', args: ['-e', print, '$(x)', 'a b', '*', "'"] });
    expect(JSON.parse(output['stdout_tail'] as string)).toEqual(['$(x)', 'a b', '*', "'"]);
  });

  test('[03-A2] a shell command mode is refused with a call that runs as it stands', async () => {
    const { result } = await daemon.call('run_process', { executable: 'sh', args: ['-c', 'echo "$((6 * 7))"'], purpose: 'diagnostic', timeout_secs: 5 });
    expect(result.output).toMatchObject({
      error_kind: 'invalid_arguments',
      execution_state: 'not_started',
      suggested_call: {
        follow_up_kind: 'fallback_recovery',
        tool: 'run_shell',
        arguments: { project: house.project.id, command: 'echo "$((6 * 7))"', shell: 'sh', purpose: 'diagnostic', timeout_secs: 5 },
      },
    });
    const { arguments: args } = result.output['suggested_call'] as { arguments: Record<string, unknown> };
    expect(await daemon.output('run_shell', args)).toMatchObject({ stdout_tail: '42\n', effective_timeout_secs: 5 });
  });
});

describe('results', () => {
  test('a command that succeeds', async () => {
    expect(await daemon.output('run_process', { executable: 'printf', args: ['a\\nb'], purpose: 'diagnostic' })).toEqual({
      execution_state: 'completed',
      command_started: true,
      command_completed: true,
      command_ok: true,
      exit_code: 0,
      signal: null,
      stdout_tail: 'a\nb',
      stdout_lines: 2,
      stdout_bytes: 3,
      stdout_truncated: false,
      stdout_range: { first_line: 1, last_line: 2 },
      stderr_tail: '',
      stderr_lines: 0,
      stderr_bytes: 0,
      stderr_truncated: false,
      stderr_range: null,
      output_id: expect.any(String) as string,
      duration_ms: expect.any(Number) as number,
      failure_kind: null,
      tool_failure: false,
      execution_source: 'run_process',
      purpose: 'diagnostic',
      cwd: '.',
      shell: null,
      terminal: true,
      job_id: null,
      job_status: null,
      effective_timeout_secs: 60,
      sync_wait_secs: 10,
    });
  });

  test('a command that fails in a millisecond still returns all of its stderr', async () => {
    const { result, facts } = await daemon.call('run_shell', { command: 'echo oops >&2; exit 3' });
    expect(result).toMatchObject({
      success: false,
      error: 'The command ended with exit code 3.',
      output: {
        error_kind: 'command_exit_nonzero',
        failure_kind: 'command_exit_nonzero',
        execution_state: 'completed',
        exit_code: 3,
        stderr_tail: 'oops\n',
        tool_failure: false,
        state_changed: null,
      },
    });
    expect(facts).toMatchObject({
      exitCode: 3,
      failureKind: 'command_exit_nonzero',
      failureExpectationResult: 'unexpected_failure',
      effect: { stateChanged: null, commandStarted: true, commandCompleted: true, executionState: 'completed' },
    });
  });

  test('a death by signal is exit code -1 and the signal', async () => {
    const { result } = await daemon.call('run_shell', { command: 'kill -SEGV $$' });
    expect(result.output).toMatchObject({ exit_code: -1, signal: 'SIGSEGV', execution_state: 'completed' });
  });

  test('a program that does not exist was not started, and the answer says where it was looked for', async () => {
    const { result, facts } = await daemon.call('run_process', { executable: 'no-such-program-anywhere' });
    expect(result.output).toMatchObject({ error_kind: 'spawn_failed', failure_kind: 'spawn_failed', execution_state: 'not_started', state_changed: false });
    expect(JSON.stringify(result)).toContain('/usr/bin');
    expect(facts?.effect).toEqual({ stateChanged: false, commandStarted: false, commandCompleted: false, executionState: 'not_started' });
  });

  test('[03-A7] a time-out is its own end', async () => {
    const { result, facts } = await daemon.call('run_process', { executable: 'sleep', args: ['9'], timeout_secs: 1, result_expectation: 'failure' });
    expect(result.output).toMatchObject({
      error_kind: 'timeout',
      failure_kind: 'timeout',
      recovery_kind: 'reobserve',
      execution_state: 'timed_out',
      command_started: true,
      command_completed: false,
    });
    expect(facts?.failureExpectationResult).toBe('unexpected_failure');
  });

  test('standard input arrives, and is empty unless it is given', async () => {
    expect(await daemon.output('run_process', { executable: 'cat', stdin: 'hä\n' })).toMatchObject({ stdout_tail: 'hä\n' });
    expect(await daemon.output('run_shell', { command: 'wc -c', stdin: 'x'.repeat(65_536) })).toMatchObject({ stdout_tail: '65536\n' });
    expect(await daemon.output('run_process', { executable: 'cat' })).toMatchObject({ stdout_tail: '', exit_code: 0 });
  });

  test("the caller's environment is used for this execution alone, and stands in no fact", async () => {
    const environment = { PATH: process.env['PATH'] ?? '', CALLER_SECRET: 'hunter2-hunter2' };
    const { result, facts } = await daemon.call('run_shell', { command: 'echo "$CALLER_SECRET"', purpose: 'test' }, { environment });
    expect(result.output['stdout_tail']).toBe('hunter2-hunter2\n');
    expect(await daemon.output('run_shell', { command: 'echo "[$CALLER_SECRET]"' })).toMatchObject({ stdout_tail: '[]\n' });
    expect(JSON.stringify({ ...facts, validationOutput: null })).not.toContain('hunter2');
  });

  test('output streams to whoever listens, in order, and the answer is the same', async () => {
    const heard: Progress[] = [];
    const output = await daemon.output('run_shell', { command: 'echo one; sleep 0.2; echo two >&2; sleep 0.2; echo three' }, {
      wantsProgress: true,
      progress: (event) => void heard.push(event),
    });
    expect(heard).toEqual([
      { stream: 'stdout', text: 'one\n' },
      { stream: 'stderr', text: 'two\n' },
      { stream: 'stdout', text: 'three\n' },
    ]);
    expect(output).toMatchObject({ stdout_tail: 'one\nthree\n', stderr_tail: 'two\n' });
  });

  test('background processes that ended with the command are said, with the way to keep them', async () => {
    const output = await daemon.output('run_shell', { command: 'sleep 30 & echo a' });
    expect(output).toMatchObject({ stdout_tail: 'a\n', descendants_ended: 1, descendants_note: expect.stringContaining('run_job') as string });
  });

  test('evidence holds no command, argument or input, and identifies the check by a digest', async () => {
    const secret = 'swordfish';
    const { facts } = await daemon.call('run_process', { executable: 'node', args: ['-e', '', secret], stdin: secret, purpose: 'test', assertion_name: 'smoke' });
    expect(JSON.stringify(facts)).not.toContain(secret);
    expect(facts).toMatchObject({
      assertionName: 'smoke',
      contextResultSummary: { validation_identity: expect.stringMatching(/^command:[0-9a-f]{24}$/) as string },
      validationOutput: { purpose: 'test', cwd: '.', stdoutTail: '', stderrTail: '', truncated: false },
    });
    const { recorded_inputs: recorded } = daemon.tool('run_process').definition;
    for (const name of ['executable', 'args', 'stdin']) expect(recorded).not.toContain(name);
    for (const tool of ['run_shell', 'run_job']) expect(daemon.tool(tool).definition.recorded_inputs).not.toContain('command');
  });
});

describe('expectations', () => {
  test('[03-A15] [04-A25] declared exit codes leave the result as it is and settle the evidence', async () => {
    const run = (code: number) => daemon.call('run_process', { executable: 'node', args: ['-e', `process.exit(${code})`], accepted_exit_codes: [0, 1] });
    const one = await run(1);
    expect(one).toMatchObject({ result: { success: false, output: { exit_code: 1 } }, facts: { failureExpectationResult: 'matched_expected_result', acceptedExitCodes: [0, 1] } });
    expect((await run(2)).facts?.failureExpectationResult).toBe('expectation_mismatch');
    expect((await run(0)).facts?.failureExpectationResult).toBe('none');
  });

  test('[03-A15] codes go with observe or with no expectation', async () => {
    for (const result_expectation of ['failure', 'success']) {
      const { result } = await daemon.call('run_process', { executable: 'true', accepted_exit_codes: [0], result_expectation });
      expect(result.output).toMatchObject({ error_kind: 'invalid_arguments', execution_state: 'not_started' });
    }
    expect(await daemon.output('run_process', { executable: 'true', accepted_exit_codes: [0], result_expectation: 'observe' })).toMatchObject({ exit_code: 0 });
  });

  test('[03-A16] an expected failure that succeeds is unexpected', async () => {
    const { result, facts } = await daemon.call('run_shell', { command: 'true', result_expectation: 'failure' });
    expect(result.success).toBe(true);
    expect(facts?.failureExpectationResult).toBe('unexpected_success');
  });

  test('[03-A16] a time-out is no failure that was expected', async () => {
    const { result, facts } = await daemon.call('run_shell', { command: 'sleep 9', timeout_secs: 1, result_expectation: 'failure' });
    expect(result.output).toMatchObject({ execution_state: 'timed_out', failure_kind: 'timeout' });
    expect(facts?.failureExpectationResult).toBe('unexpected_failure');
  });
});

describe('where it runs', () => {
  test('the call says, else its Session, else the root', async () => {
    mkdirSync(inProject('sub/deep'), { recursive: true });
    const session = sessionOn(house.project, { default_cwd: 'sub', default_shell: 'sh' });
    expect(await daemon.output('run_shell', { command: 'pwd' }, { session })).toMatchObject({ cwd: 'sub', shell: 'sh', stdout_tail: `${inProject('sub')}\n` });
    expect(await daemon.output('run_shell', { command: 'pwd', cwd: 'sub/deep', shell: 'bash' }, { session })).toMatchObject({ cwd: 'sub/deep', shell: 'bash' });
    expect(await daemon.output('run_process', { executable: 'pwd' }, { session })).toMatchObject({ cwd: 'sub' });
    expect(await daemon.output('run_process', { executable: 'pwd' })).toMatchObject({ cwd: '.', stdout_tail: `${house.projectPath}\n` });
  });

  test('[03-A19] a default folder that is gone: not started, and nothing at the root', async () => {
    mkdirSync(inProject('gone'));
    rmSync(inProject('gone'), { recursive: true });
    const session = sessionOn(house.project, { default_cwd: 'gone' });
    const { result } = await daemon.call('run_shell', { command: 'touch ran-anyway' }, { session });
    expect(result.output).toMatchObject({ execution_state: 'not_started', command_started: false });
    expect(existsSync(inProject('ran-anyway'))).toBe(false);
  });

  test('[03-A19] a link out of the project: permission_denied', async () => {
    symlinkSync(tmpdir(), inProject('way-out'));
    const { result } = await daemon.call('run_shell', { command: 'touch ran-outside', cwd: 'way-out' });
    expect(result.output).toMatchObject({ failure_kind: 'permission_denied', execution_state: 'not_started' });
    expect(existsSync(join(tmpdir(), 'ran-outside'))).toBe(false);
  });

  test('[04-A24] a Session on a resource never falls back to this machine', async () => {
    const session = sessionOn(house.project, { resource: 'build-host' });
    const local = await daemon.call('run_process', { executable: 'touch', args: ['ran-locally'] }, { session });
    expect(local.result.output).toMatchObject({ error_kind: 'unsupported_resource', execution_state: 'not_started', command_started: false });
    for (const tool of ['run_shell', 'run_job']) {
      const { result, facts } = await daemon.call(tool, { command: 'touch ran-locally' }, { session });
      expect(result.output).toMatchObject({ error_kind: 'ssh_resource_not_found', execution_state: 'not_started' });
      expect(facts?.effect).toMatchObject({ commandStarted: false, executionState: 'not_started' });
    }
    expect(existsSync(inProject('ran-locally'))).toBe(false);
  });
});

describe('hand-off, cancel and a caller that is gone', () => {
  test('[03-A5] work that takes longer goes on as a Job: the same process, started once', async () => {
    const started = await daemon.call('run_shell', { command: 'echo started >> once; echo begun; sleep 2; echo done >> once', sync_wait_secs: 1 });
    expect(started.result).toMatchObject({
      success: true,
      output: { execution_state: 'running', terminal: false, job_status: 'running', promoted_to_job: true, sync_wait_secs: 1, stdout_tail: 'begun\n' },
    });
    expect(started.facts).toMatchObject({ jobId: started.result.output['job_id'], failureExpectationResult: 'none', effect: { executionState: 'running' } });
    const { tool, arguments: args } = started.result.output['continuation'] as { tool: string; arguments: Record<string, unknown> };
    const observed = await daemon.output(tool, args);
    expect(observed).toMatchObject({ wake_reason: 'terminal', items: [{ status: 'completed', outcome: 'succeeded', log_delta_status: 'unchanged' }] });
    expect(house.lines('once')).toEqual(['started', 'done']);
  });

  test('over MCP the answer comes within its bound', async () => {
    const begin = performance.now();
    const output = await daemon.output('run_process', { executable: 'sleep', args: ['30'], sync_wait_secs: 60 }, { answerWithinMs: 3_000 });
    expect(performance.now() - begin).toBeLessThan(3_000);
    expect(output).toMatchObject({ terminal: false, sync_wait_secs: 1 });
    await daemon.output('stop_job', { job_id: output['job_id'], confirm: true });
  });

  test('a cancel ends the whole tree', async () => {
    const cancel = new AbortController();
    const call = daemon.call('run_shell', { command: 'sleep 60 & echo $! > sleeper; wait' }, { signal: cancel.signal });
    await until(() => text('sleeper').endsWith('\n'), 'the command ran');
    cancel.abort();
    expect(await call).toMatchObject({
      result: { success: false, output: { error_kind: 'cancelled', execution_state: 'cancelled', command_started: true, command_completed: false } },
      facts: { failureKind: 'cancelled', effect: { executionState: 'cancelled' } },
    });
    expect(isAlive(Number(text('sleeper')))).toBe(false);
  });

  test('a caller that vanishes leaves a Job, and the Job says so', async () => {
    const gone = new AbortController();
    const call = daemon.call('run_shell', { command: 'echo ran > left; sleep 60' }, { disconnected: gone.signal });
    await until(() => text('left') !== '', 'the command ran');
    gone.abort();
    const { result } = await call;
    expect(result.output).toMatchObject({ execution_state: 'running', published_after_disconnect: true });
    const jobs = (await daemon.output('list_jobs', { status: 'running' }))['jobs'] as JsonObject[];
    expect(jobs.find((job) => job['job_id'] === result.output['job_id'])).toMatchObject({ published_after_disconnect: true });
    await daemon.output('stop_job', { job_id: result.output['job_id'], confirm: true });
  });

  test('a caller that was gone from the beginning leaves a Job too', async () => {
    const gone = new AbortController();
    gone.abort();
    const { result } = await daemon.call('run_shell', { command: 'sleep 60' }, { disconnected: gone.signal });
    expect(result.output).toMatchObject({ execution_state: 'running', published_after_disconnect: true });
    await daemon.output('stop_job', { job_id: result.output['job_id'], confirm: true });
  });
});

describe('Jobs that can not begin', () => {
  test('a Job that fails before its start is no Job', async () => {
    writeFileSync(inProject('file'), '');
    const { result } = await daemon.call('run_job', { command: 'true', cwd: 'file' });
    expect(result.output).toMatchObject({ execution_state: 'not_started', command_started: false });
    expect(result.output).not.toHaveProperty('job_id');
  });
});
