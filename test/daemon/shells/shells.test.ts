import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../src/daemon/sessions/index.js';
import type { Progress } from '../../../src/protocol/api.js';
import { until as untilTrue } from '../../runner/jobs/execution-house.js';
import { isAlive } from '../runner-link/link-harness.js';
import { ShellsHouse, type DaemonLife } from './shells-house.js';

let house: ShellsHouse;
let daemon: DaemonLife;
let project: string;

beforeAll(async () => {
  house = new ShellsHouse({ max_shells: 64 });
  daemon = house.daemon();
  project = String((await daemon.output('register_project', { client_id: 'local', path: house.projectPath })).project);
});
afterAll(() => house.close());

/** A Session of its own, with or without defaults. */
const newSession = async (given: Record<string, unknown> = {}): Promise<string> =>
  String((await daemon.output('start_session', { project, ...given })).session_id);

interface Shell {
  readonly bound: { readonly project: string; readonly session_id: string; readonly shell_id: string };
  run(command: string, given?: Record<string, unknown>, changes?: Parameters<DaemonLife['call']>[2]): ReturnType<DaemonLife['call']>;
}

const openIn = async (session_id: string, given: Record<string, unknown> = {}): Promise<Shell> => {
  const { shell_id } = await daemon.output('open_session_shell', { project, session_id, ...given });
  const bound = { project, session_id, shell_id: String(shell_id) };
  return { bound, run: (command, more, changes) => daemon.call('execute_session_shell', { ...bound, command, ...more }, changes) };
};
const open = async (given?: Record<string, unknown>): Promise<Shell> => openIn(await newSession(), given);
const finished = (session: string): SessionEvent[] =>
  daemon.events(session).filter(({ kind }) => kind === 'tool_call_finished');
const shellEvents = (session: string): unknown[] => finished(session).map(({ persistent_shell: shell }) => shell);
const until = (fact: () => boolean | Promise<boolean>): Promise<true> => untilTrue('a fact of the test', async () => (await fact()) || null);
const inProject = (name: string): string => join(house.projectPath, name);
const pidOf = async (shell: Shell): Promise<number> => Number((await shell.run('echo $$')).output['stdout_tail']);

describe('a shell of a Session', () => {
  it('[03-A20] keeps what its commands set, and shares nothing with run_shell', async () => {
    mkdirSync(inProject('sub'));
    const shell = await open();
    expect((await shell.run('cd sub; export A=1; f(){ echo $A; }; umask 027')).output).toMatchObject({
      execution_state: 'completed',
      error_code: null,
      command_started: true,
      command_completed: true,
      command_ok: true,
      exit_code: 0,
      failure_kind: null,
      tool_failure: false,
      terminal: true,
      shell_state: 'running',
      shell: 'bash',
      cwd: 'sub',
      execution_source: 'execute_session_shell',
      purpose: 'other',
      effective_timeout_secs: 60,
    });
    expect((await shell.run('f; umask')).output).toMatchObject({ stdout_tail: '1\n0027\n', stdout_lines: 2, stdout_truncated: false });
    const other = await daemon.output('run_shell', { project, session_id: shell.bound.session_id, command: 'echo "[$A]"; pwd' });
    expect(other['stdout_tail']).toBe(`[]\n${house.projectPath}\n`);
  });

  it('starts where the call, else the Session, says; later defaults move nothing', async () => {
    mkdirSync(inProject('defaults'));
    const session = await newSession({ execution_context: { default_cwd: 'defaults', default_shell: 'sh' } });
    const shell = await openIn(session);
    expect((await shell.run('true')).output).toMatchObject({ cwd: 'defaults', shell: 'sh', initial_cwd: 'defaults' });
    await daemon.output('update_session_context', { project, session_id: session, execution_context: { default_cwd: 'sub' } });
    expect((await shell.run('true')).output).toMatchObject({ cwd: 'defaults', shell: 'sh' });
    await daemon.output('close_session_shell', shell.bound);
    const explicit = await openIn(session, { cwd: '.', shell: 'bash' });
    expect((await explicit.run('true')).output).toMatchObject({ cwd: '.', shell: 'bash' });
  });

  it('never runs here what belongs on a resource', async () => {
    const session = await newSession({ execution_context: { resource: 'far' } });
    expect(await daemon.call('open_session_shell', { project, session_id: session })).toMatchObject({
      success: false,
      output: { error_kind: 'ssh_resource_not_found', resource: 'far' },
    });
  });

  it('gives a failing command its own kind', async () => {
    const shell = await open();
    expect(await shell.run('(exit 3)')).toMatchObject({
      success: false,
      error: 'The command ended with exit code 3.',
      output: { error_kind: 'command_exit_nonzero', execution_state: 'completed', exit_code: 3, command_completed: true, command_ok: false, tool_failure: false },
    });
    expect(await shell.run('trap : INT; sleep 30', { timeout_secs: 1 })).toMatchObject({
      success: false,
      output: { error_kind: 'command_timeout', error_code: 'command_timeout', execution_state: 'timed_out', failure_kind: 'timeout', command_completed: false, shell_state: 'running' },
    });
    expect(await shell.run('exit 7')).toMatchObject({
      success: false,
      output: { error_kind: 'shell_exited', execution_state: 'completed', exit_code: 7, shell_state: 'exited', close_reason: 'shell_process_exited' },
    });
    expect(await (await open()).run('exit 0')).toMatchObject({ success: true, output: { error_code: 'shell_exited', exit_code: 0, shell_state: 'exited' } });
    expect(await shell.run('true')).toMatchObject({
      success: false,
      output: { error_kind: 'persistent_shell_stale', execution_state: 'not_started', command_started: false, state_changed: false },
    });
  });

  it('[03-A21] [04-A23] refuses a second command and a second shell', async () => {
    const shell = await open();
    const first = shell.run('echo first; sleep 0.4');
    await until(async () => (await daemon.output('get_session_shell_status', shell.bound))['busy'] === true);
    expect((await shell.run('echo second')).output).toMatchObject({ error_kind: 'shell_busy', command_started: false });
    const { shell_id } = shell.bound;
    expect((await daemon.call('open_session_shell', { project, session_id: shell.bound.session_id })).output).toMatchObject({
      error_kind: 'persistent_shell_already_open',
      shell_id,
    });
    expect((await first).output['stdout_tail']).toBe('first\n');
  });

  it('is bound to its Session and project', async () => {
    const shell = await open();
    const missing = await daemon.call('execute_session_shell', { ...shell.bound, session_id: await newSession(), command: 'true' });
    expect(missing.output).toMatchObject({ error_kind: 'persistent_shell_not_found', execution_state: 'not_started' });
    for (const tool of ['get_session_shell_status', 'close_session_shell']) {
      expect((await daemon.call(tool, { ...shell.bound, session_id: await newSession() })).output).toMatchObject({ error_kind: 'persistent_shell_not_found' });
    }
    expect((await shell.run('echo mine')).output['stdout_tail']).toBe('mine\n');
  });

  it.each([
    ['16,001 bytes', { command: 'x'.repeat(16_001) }],
    ['a blank command', { command: ' \n' }],
    ['a NUL', { command: 'a\0b' }],
    ['no time', { command: 'true', timeout_secs: 0 }],
    ['an unknown field', { command: 'true', stdin: 'x' }],
  ])('[04-A22] refuses %s, and starts nothing', async (_what, given) => {
    const shell = await open();
    expect((await daemon.call('execute_session_shell', { ...shell.bound, ...given })).output).toMatchObject({ error_kind: 'invalid_arguments' });
    expect((await daemon.output('get_session_shell_status', shell.bound))['commands']).toBe(0);
    await daemon.output('close_session_shell', shell.bound);
  });

  it('cuts a time-out to an hour and says so', async () => {
    const shell = await open();
    expect((await shell.run('true', { timeout_secs: 99_999 })).output['effective_timeout_secs']).toBe(3_600);
    await daemon.output('close_session_shell', shell.bound);
  });
});

describe('the guards of a Session', () => {
  it('[03-A27] a read-only Session opens no shell and runs no command in one', async () => {
    const session = await newSession({ mode: 'read_only' });
    const before = existsSync(inProject('guarded'));
    for (const [tool, given] of [
      ['open_session_shell', {}],
      ['execute_session_shell', { shell_id: `wc_shell_${'0'.repeat(32)}`, command: 'touch guarded' }],
    ] as const) {
      expect(await daemon.call(tool, { project, session_id: session, ...given })).toMatchObject({
        success: false,
        output: { error_kind: 'session_guard_denied', guard: 'deny_shell_tools', mode: 'read_only', command_started: false },
      });
    }
    // Cleaning up is no shell command.
    expect((await daemon.call('close_session_shell', { project, session_id: session, shell_id: 'x' })).output['error_kind']).toBe('persistent_shell_not_found');
    expect([before, existsSync(inProject('guarded'))]).toEqual([false, false]);
  });

  it('a closed Session has no shell: it was ended after the close was durable', async () => {
    const shell = await open();
    const pid = await pidOf(shell);
    const running = shell.run('sleep 30');
    await until(async () => (await daemon.output('get_session_shell_status', shell.bound))['busy'] === true);
    expect(await daemon.output('close_session', { session_id: shell.bound.session_id })).toMatchObject({ lifecycle: 'closed', persistent_shells_closed: 1 });
    expect((await running).output).toMatchObject({ error_kind: 'shell_reset_required', execution_state: 'interrupted', close_reason: 'session_closed' });
    await until(() => !isAlive(pid));
    expect((await shell.run('true')).output).toMatchObject({ error_kind: 'session_closed', command_started: false });
    expect((await daemon.call('open_session_shell', { project, session_id: shell.bound.session_id })).output['error_kind']).toBe('session_closed');
    expect(await daemon.output('close_session_shell', shell.bound)).toMatchObject({ already_closed: true, shell_state: 'closed' });
    expect(await daemon.output('close_session', { session_id: shell.bound.session_id })).toMatchObject({ already_closed: true, persistent_shells_closed: 0 });
  });

  it('a Session that is closed while its shell comes up keeps none', async () => {
    const session = await newSession();
    const opening = daemon.call('open_session_shell', { project, session_id: session });
    await daemon.output('close_session', { session_id: session });
    expect((await opening).output).toMatchObject({ error_kind: 'persistent_shell_session_inactive', command_started: false });
  });

  it('a restricted authority opens no shell, and still closes one', async () => {
    const restricted = house.daemon('restricted');
    try {
      const session = await newSession();
      expect((await restricted.call('open_session_shell', { project, session_id: session })).output['error_kind']).toBe('permission_denied');
      expect((await restricted.call('close_session_shell', { project, session_id: session, shell_id: 'x' })).output['error_kind']).toBe('persistent_shell_not_found');
    } finally {
      await restricted.end('leave');
      await until(() => daemon.link.state !== null);
    }
  });
});

describe('what the ledger keeps', () => {
  it('is the life of the shell and nothing that went in or came out', async () => {
    const session = await newSession();
    const shell = await openIn(session);
    const { shell_id } = shell.bound;
    await shell.run('echo s3cret-output; export TOKEN=s3cret-input', { purpose: 'test' });
    await shell.run('false', { result_expectation: 'failure' });
    await shell.run('exit 7');
    await shell.run('true');
    await daemon.output('close_session_shell', shell.bound);
    expect(shellEvents(session)).toEqual([
      { action: 'open', shell_id, shell_state: 'running' },
      { action: 'execute', shell_id, shell_state: 'running', execution_state: 'completed', command_started: true, command_completed: true },
      { action: 'execute', shell_id, shell_state: 'running', execution_state: 'completed', command_started: true, command_completed: true },
      { action: 'execute', shell_id, shell_state: 'exited', execution_state: 'completed', error_code: 'shell_exited', command_started: true, command_completed: true },
      { action: 'execute', shell_id, shell_state: 'exited', execution_state: 'not_started', error_code: 'persistent_shell_stale', command_started: false },
      { action: 'close', shell_id, shell_state: 'exited', already_closed: true },
    ]);
    const rows = finished(session);
    expect(rows.map(({ status, exit_code, failure_expectation_result: verdict }) => [status, exit_code, verdict])).toEqual([
      ['succeeded', null, undefined],
      ['succeeded', 0, 'none'],
      ['failed', 1, 'matched_expected_failure'],
      ['failed', 7, 'unexpected_failure'],
      ['failed', null, undefined],
      ['succeeded', null, undefined],
    ]);
    expect(JSON.stringify(daemon.events(session))).not.toContain('s3cret');
  });
});

describe('an answer that is due before the command has ended', () => {
  it('[00-D24] says running over MCP, and the status tells the end', async () => {
    const shell = await open();
    const answer = await shell.run('echo begun; sleep 1; echo done', {}, { answerWithinMs: 2_400 });
    expect(answer).toMatchObject({
      success: true,
      output: { execution_state: 'running', command_ok: null, terminal: false, busy: true, stdout_tail: 'begun\n', command_started: true, command_completed: false },
    });
    const { continuation } = answer.output as { continuation: { tool: string; arguments: Record<string, unknown> } };
    expect(continuation).toEqual({ tool: 'get_session_shell_status', arguments: { ...shell.bound, wait_secs: 40 } });
    expect(await daemon.output(continuation.tool, continuation.arguments)).toMatchObject({
      busy: false,
      shell_state: 'running',
      last_command: { execution_state: 'completed', exit_code: 0, stdout_tail: 'begun\ndone\n', terminal: true },
    });
  });

  it('comes when the caller wants it, and a wait is cut to what an answer may take', async () => {
    const shell = await open();
    expect((await shell.run('sleep 1.5', { sync_wait_secs: 1 })).output).toMatchObject({ execution_state: 'running' });
    expect(await daemon.output('get_session_shell_status', { ...shell.bound, wait_secs: 60 }, { answerWithinMs: 2_100 })).toMatchObject({ effective_wait_secs: 0.1 });
    expect(await daemon.output('get_session_shell_status', { ...shell.bound, wait_secs: 60 })).toMatchObject({ busy: false, last_command: { execution_state: 'completed' } });
  });

  it('[00-D25] a cancel interrupts the command and is told as such', async () => {
    const shell = await open();
    await shell.run('trap : INT');
    const cancel = new AbortController();
    const running = shell.run('echo begun; sleep 30', {}, { signal: cancel.signal });
    await until(async () => {
      const { last_command: last } = await daemon.output('get_session_shell_status', shell.bound);
      return (last as { stdout_tail: string } | null)?.stdout_tail === 'begun\n';
    });
    cancel.abort();
    expect(await running).toMatchObject({ success: false, output: { error_kind: 'cancelled', execution_state: 'cancelled', shell_state: 'running' } });
  });

  it('sends output as it comes to whoever listens', async () => {
    const shell = await open();
    const seen: string[] = [];
    await shell.run('seq 1 20000; echo err >&2', {}, {
      wantsProgress: true,
      progress: (event: Progress) => {
        if ('text' in event && event.stream === 'stdout') seen.push(event.text);
      },
    });
    expect(seen.join('')).toBe(`${Array.from({ length: 20_000 }, (_, index) => index + 1).join('\n')}\n`);
  });
});

describe('the caller\'s environment', () => {
  it('is the shell\'s from its start on, and never stored', async () => {
    const session = await newSession();
    const { shell_id } = await daemon.output('open_session_shell', { project, session_id: session }, { environment: { FROM_CALLER: 'yes', WC_TOKEN: 'no' } });
    const bound = { project, session_id: session, shell_id };
    const run = await daemon.output('execute_session_shell', { ...bound, command: 'echo "$FROM_CALLER[$WC_TOKEN][$LATER]$GIT_TERMINAL_PROMPT"' }, { environment: { LATER: 'x' } });
    expect(run['stdout_tail']).toBe('yes[][]0\n');
    expect(JSON.stringify(daemon.events(session))).not.toContain('FROM_CALLER');
    await daemon.output('close_session_shell', bound);
  });
});

describe('lives', () => {
  it('a shell outlives its daemon, and does not outlive its Runner', async () => {
    const own = new ShellsHouse();
    try {
      const first = own.daemon();
      const { project: id } = await first.output('register_project', { client_id: 'local', path: own.projectPath });
      const { session_id } = await first.output('start_session', { project: id });
      const { shell_id } = await first.output('open_session_shell', { project: id, session_id });
      const bound = { project: id, session_id, shell_id };
      await first.output('execute_session_shell', { ...bound, command: 'kept=yes' });
      await first.end('leave');

      const second = own.daemon();
      await until(() => second.link.state !== null);
      const kept = await second.output('execute_session_shell', { ...bound, command: 'echo $kept; echo $$' });
      const [value, pid] = String(kept['stdout_tail']).split('\n');
      expect(value).toBe('yes');

      const runner = second.link.state;
      const running = second.call('execute_session_shell', { ...bound, command: 'echo begun >begun; sleep 60; echo late >late' });
      await until(() => existsSync(join(own.projectPath, 'begun')));
      process.kill(runner?.pid ?? 0, 'SIGKILL');
      expect(await running).toMatchObject({
        success: false,
        output: { error_kind: 'shell_reset_required', execution_state: 'lost', shell_state: 'lost', command_started: true, failure_kind: 'outcome_unknown' },
      });
      await until(async () => (await second.call('get_session_shell_status', bound)).success);
      expect(await second.output('get_session_shell_status', bound)).toMatchObject({ shell_state: 'lost', close_reason: 'runner_instance_replaced' });
      await until(() => !isAlive(Number(pid)));
      expect(existsSync(join(own.projectPath, 'late'))).toBe(false);
      expect((await second.call('execute_session_shell', { ...bound, command: 'true' })).output).toMatchObject({ error_kind: 'persistent_shell_stale' });
      expect(await second.output('open_session_shell', { project: id, session_id })).toMatchObject({ outcome: 'opened' });
    } finally {
      await own.close();
    }
  });

  it('ends with its project', async () => {
    const own = new ShellsHouse();
    try {
      const life = own.daemon();
      const { project: id, revision } = await life.output('register_project', { client_id: 'local', path: own.projectPath });
      const { session_id } = await life.output('start_session', { project: id });
      const { shell_id } = await life.output('open_session_shell', { project: id, session_id });
      const { stdout_tail: pid } = await life.output('execute_session_shell', { project: id, session_id, shell_id, command: 'echo $$' });
      await life.output('unregister_project', { project: id, expected_revision: revision });
      await until(() => !isAlive(Number(pid)));
    } finally {
      await own.close();
    }
  });

  it('keeps to what the configuration says', async () => {
    const own = new ShellsHouse({ max_shells: 1, shell_idle_secs: 1 });
    try {
      const life = own.daemon();
      const { project: id } = await life.output('register_project', { client_id: 'local', path: own.projectPath });
      const [one, two] = await Promise.all([1, 2].map(async () => (await life.output('start_session', { project: id }))['session_id']));
      const { shell_id } = await life.output('open_session_shell', { project: id, session_id: one });
      expect((await life.call('open_session_shell', { project: id, session_id: two })).output).toMatchObject({ error_kind: 'persistent_shell_limit_reached', max_shells: 1 });
      await until(async () => (await life.output('get_session_shell_status', { project: id, session_id: one, shell_id }))['shell_state'] === 'closed');
      expect(await life.output('open_session_shell', { project: id, session_id: two })).toMatchObject({ shell_state: 'running' });
    } finally {
      await own.close();
    }
  });
});

describe('the whole output', () => {
  it('goes where the command sends it; the result shows the end and says so', async () => {
    const shell = await open();
    const { output } = await shell.run('seq 1 50000 | tee all.txt');
    expect(output).toMatchObject({ stdout_lines: 50_000, stdout_truncated: true });
    expect(output).not.toHaveProperty('output_id');
    expect(readFileSync(inProject('all.txt'), 'utf8').split('\n').length).toBe(50_001);
    writeFileSync(inProject('all.txt'), '');
  });
});
