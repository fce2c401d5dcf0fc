import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startExecutionMethod } from '../../../src/protocol/runner/execution.js';
import { stopJobMethod } from '../../../src/protocol/runner/jobs.js';
import { executionHouse, isRunning, refused, until, type ExecutionHouse } from './execution-house.js';

let house: ExecutionHouse;
beforeAll(async () => {
  house = await executionHouse();
});
afterAll(() => house.close());

const pidIn = async (file: string): Promise<number> =>
  until(`a pid in ${file}`, async () => Number(await readFile(house.project.path(file), 'utf8').catch(() => '')) || null);

describe('what a program gets', () => {
  it('[03-A2] passes arguments literally', async () => {
    const started = await house.start({ program: { kind: 'process', executable: 'printf', args: ['[%s]', '$(x)', 'a b'] } });
    expect(started).toMatchObject({ outcome: 'finished', report: { exit_code: 0, shell: null, stdout: { text: '[$(x)][a b]' } } });
  });

  it('[03-A4] a program can open /dev/stderr and /dev/stdout', async () => {
    const report = await house.shell('', { program: { kind: 'shell', command: 'echo x >/dev/stderr; echo y >/dev/stdout', shell: 'sh' } });
    expect(report).toMatchObject({ exit_code: 0, execution_state: 'completed', shell: 'sh', failure_kind: null });
    expect(report.stderr.text).toBe('x\n');
    expect(report.stdout.text).toBe('y\n');
  });

  it('reads the null device unless standard input is given', async () => {
    expect((await house.shell('cat; readlink /proc/self/fd/0 || true')).stdout.text).toBe('/dev/null\n');
  });

  it('gets 64 KiB of standard input, also through /dev/stdin', async () => {
    const text = 'ü'.repeat(32 * 1_024);
    expect((await house.shell('wc -c; wc -c </dev/stdin', { stdin: text })).stdout.text).toBe('65536\n65536\n');
  });

  it('may close its standard input early', async () => {
    expect(await house.shell('exec <&-; echo done', { stdin: 'x'.repeat(65_536) })).toMatchObject({ exit_code: 0, stdout: { text: 'done\n' } });
  });

  it('inherits no descriptor beside the three standard ones', async () => {
    // What this test process would leak to any child of its own says nothing about ours.
    const leaked = execFileSync('ls', ['/proc/self/fd'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    expect((await house.shell('ls /proc/self/fd')).stdout.text).toBe(leaked);
  });

  it('leads a process group and a session of its own', async () => {
    const { stdout } = await house.shell('ps -o pid=,pgid=,sid= -p $$');
    const [pid, group, session] = stdout.text.trim().split(/\s+/);
    expect([group, session]).toEqual([pid, pid]);
  });

  it('takes a command that begins with a dash for a command', async () => {
    for (const shell of ['sh', 'bash'] as const) {
      const report = await house.shell('', { program: { kind: 'shell', command: '-c; echo on', shell } });
      expect(report).toMatchObject({ exit_code: 0, stdout: { text: 'on\n' } });
      expect(report.stderr.text).toContain('-c');
    }
  });

  it('finds its shell whatever the PATH is', async () => {
    const environment = { PATH: '/nowhere' };
    const program = { kind: 'shell', command: 'echo ok', shell: null } as const;
    expect(await house.shell('', { program, environment })).toMatchObject({ shell: 'bash', stdout: { text: 'ok\n' } });
    expect(await house.shell('', { program: { ...program, shell: 'sh' }, environment })).toMatchObject({ shell: 'sh', stdout: { text: 'ok\n' } });
  });

  it('starts in the named folder, which PWD names too', async () => {
    await mkdir(house.project.path('sub/folder'), { recursive: true });
    const report = await house.shell('pwd -P; echo $PWD', { cwd: 'sub/folder' });
    expect(report.cwd).toBe('sub/folder');
    expect(report.stdout.text).toBe(`${house.project.path('sub/folder')}\n`.repeat(2));
  });

  it("gets the caller's environment for this one execution, and never a token of ours", async () => {
    const environment = { MINE: 'yes', WC_TOKEN: 'secret', AUTHORIZATION: 'Bearer secret', EDITOR: 'vi' };
    const report = await house.shell('echo "$MINE|$WC_TOKEN|$AUTHORIZATION|$EDITOR"', { environment });
    expect(report.stdout.text).toMatch(/^yes\|\|\|.*\/false\n$/);
    expect((await house.shell('echo "$MINE"')).stdout.text).toBe('\n');
  });
});

describe('how it ends', () => {
  it('a command that fails in a millisecond returns all of its stderr', async () => {
    for (let round = 0; round < 20; round++) {
      const report = await house.shell('for i in 1 2 3 4 5; do echo "line $i" >&2; done; exit 3');
      expect(report).toMatchObject({ execution_state: 'completed', exit_code: 3, failure_kind: 'command_exit_nonzero', tool_failure: false });
      expect(report.stderr.text).toBe('line 1\nline 2\nline 3\nline 4\nline 5\n');
    }
  });

  it('a death by signal has exit code -1 and names the signal', async () => {
    expect(await house.shell('kill -SEGV $$')).toMatchObject({
      execution_state: 'completed',
      exit_code: -1,
      signal: 'SIGSEGV',
      failure_kind: 'command_exit_nonzero',
    });
  });

  it('[03-A7] a command over its time is timed out and not completed', async () => {
    const report = await house.shell('sleep 9', { timeout_ms: 300 });
    expect(report).toMatchObject({ execution_state: 'timed_out', failure_kind: 'timeout', tool_failure: false, signal: 'SIGTERM' });
    expect(report.duration_ms).toBeGreaterThanOrEqual(300);
    expect(report.duration_ms).toBeLessThan(3_000);
  });

  it('[03-A7] a time-out ends a tree that ignores SIGTERM', async () => {
    const report = await house.shell('trap "" TERM; (trap "" TERM; sleep 60) & echo $! >ignoring.pid; sleep 60', { timeout_ms: 300 });
    expect(report).toMatchObject({ execution_state: 'timed_out', signal: 'SIGKILL', survivor_pids: [] });
    expect(await isRunning(await pidIn('ignoring.pid'))).toBe(false);
  });

  it('a cancelled call ends the tree', async () => {
    const cancel = new AbortController();
    const running = house.shell('sleep 60 & echo $! >cancelled.pid; wait', {}, { signal: cancel.signal });
    const pid = await pidIn('cancelled.pid');
    cancel.abort();
    expect(await running).toMatchObject({ execution_state: 'cancelled', failure_kind: 'cancelled' });
    expect(await isRunning(pid)).toBe(false);
  });

  it('a call that was cancelled before its start starts nothing', async () => {
    const answer = await house.start(
      { program: { kind: 'shell', command: 'touch started-after-cancel', shell: 'sh' } },
      { signal: AbortSignal.abort() },
    );
    expect(refused(answer)).toMatchObject({ error_kind: 'cancelled', detail: { execution_state: 'not_started', command_started: false } });
    await expect(house.project.read('started-after-cancel')).rejects.toThrow('ENOENT');
  });
});

describe('what it leaves behind', () => {
  it('[03-A6] background processes end with their command, and the result says so', async () => {
    const startedAt = performance.now();
    const report = await house.shell('sleep 30 & echo $! >sleeper.pid; echo a');
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(report).toMatchObject({ exit_code: 0, stdout: { text: 'a\n' }, descendants_ended: 1, output_incomplete: false });
    expect(await isRunning(await pidIn('sleeper.pid'))).toBe(false);
  });

  it('tree kill: no survivor of a stopped Job', async () => {
    const job = await house.job('sleep 60 & echo $! >one.pid; (sleep 60 & echo $! >two.pid; wait) & wait');
    const pids = [await pidIn('one.pid'), await pidIn('two.pid')];
    await house.ask(stopJobMethod, { job_id: job.job_id });
    expect(await Promise.all(pids.map(isRunning))).toEqual([false, false]);
  });

  it('a reader that ends with its command is not cut short', async () => {
    const report = await house.shell('exec > >(sed s/^/read:/); echo a; echo b');
    expect(report).toMatchObject({ stdout: { text: 'read:a\nread:b\n' }, descendants_ended: 0 });
  });

  it('jobs of a shell with job control end too', async () => {
    const report = await house.shell('set -m; sleep 30 & echo $! >controlled.pid; echo a');
    expect(report).toMatchObject({ stdout: { text: 'a\n' }, descendants_ended: 1, output_incomplete: false });
    expect(await isRunning(await pidIn('controlled.pid'))).toBe(false);
  });

  it('who escaped with the output delays nobody and is named', async () => {
    const report = await house.shell("setsid sh -c 'touch escaped; sleep 5' & until [ -e escaped ]; do sleep 0.01; done; echo a");
    expect(report).toMatchObject({ execution_state: 'completed', exit_code: 0, stdout: { text: 'a\n' }, output_incomplete: true });
    expect(report.finished_at_ms - report.started_at_ms).toBeLessThan(3_000);
    // The shell that escaped and its sleep both hold the output.
    expect(report.survivor_pids).toHaveLength(2);
    for (const pid of report.survivor_pids) process.kill(pid, 'SIGKILL');
  });

  it('a command that closes its own descriptors ends like any other', async () => {
    expect(await house.shell('echo before; exec >&- 2>&-; sleep 0.2; exit 4')).toMatchObject({ exit_code: 4, stdout: { text: 'before\n' }, output_incomplete: false });
  });

  it('a family that keeps growing is ended whole', async () => {
    const command = 'grow() { while :; do sleep 60 & sleep 0.01; done; }; trap "" TERM; (grow) & (grow) & sleep 0.3; echo grown';
    expect(await house.shell(command)).toMatchObject({ exit_code: 0, survivor_pids: [], stdout: { text: 'grown\n' } });
  });

  it('a fork of many ends as a whole', async () => {
    const report = await house.shell('for i in $(seq 1 100); do sleep 60 & done; echo forked', { timeout_ms: 15_000 });
    expect(report).toMatchObject({ exit_code: 0, descendants_ended: 100, survivor_pids: [], stdout: { text: 'forked\n' } });
  });
});

describe('what is never started', () => {
  it('[03-A3] bounds of the wire: no time-out of zero, none above a week', () => {
    const timeout = startExecutionMethod.params.shape.timeout_ms;
    expect([0, 604_800_001].map((ms) => timeout.safeParse(ms).success)).toEqual([false, false]);
    expect([1, 604_800_000].map((ms) => timeout.safeParse(ms).success)).toEqual([true, true]);
  });

  it('[03-A19] a working folder that is gone starts nothing, at the root neither', async () => {
    await mkdir(house.project.path('going'));
    await rm(house.project.path('going'), { recursive: true });
    const answer = await house.start({ program: { kind: 'shell', command: 'touch here', shell: 'sh' }, cwd: 'going' });
    expect(refused(answer)).toMatchObject({ error_kind: 'not_found', detail: { execution_state: 'not_started', command_started: false } });
    await expect(house.project.read('here')).rejects.toThrow('ENOENT');
  });

  it('[03-A19] a working folder behind a link out of the project is denied', async () => {
    await symlink(tmpdir(), house.project.path('outside'));
    const answer = await house.start({ program: { kind: 'shell', command: 'touch here', shell: 'sh' }, cwd: 'outside' });
    expect(refused(answer)).toMatchObject({ error_kind: 'permission_denied', detail: { execution_state: 'not_started', failure_kind: 'permission_denied' } });
  });

  it('a working folder that is a file is refused', async () => {
    await house.project.write('file', '');
    const answer = await house.start({ program: { kind: 'process', executable: 'true', args: [] }, cwd: 'file' });
    expect(refused(answer)).toMatchObject({ error_kind: 'not_directory', detail: { execution_state: 'not_started' } });
  });

  it('a program that is not found names the PATH that was searched', async () => {
    const answer = await house.start({
      program: { kind: 'process', executable: 'no-such-program', args: [] },
      environment: { PATH: '/usr/bin:/opt/none' },
    });
    expect(refused(answer)).toMatchObject({
      error_kind: 'spawn_failed',
      detail: { execution_state: 'not_started', failure_kind: 'spawn_failed', spawn_error: 'ENOENT', searched_path: '/usr/bin:/opt/none' },
    });
  });

  it('a file that may not be executed is refused', async () => {
    await house.project.write('plain.txt', 'text');
    const answer = await house.start({ program: { kind: 'process', executable: './plain.txt', args: [] } });
    expect(refused(answer)).toMatchObject({ error_kind: 'spawn_failed', detail: { spawn_error: 'EACCES' } });
  });

  it('a second execution of the same id is refused while the first runs', async () => {
    const program = { kind: 'shell', command: 'sleep 5', shell: 'sh' } as const;
    const cancel = new AbortController();
    const first = house.start({ program, execution_id: 'same' }, { signal: cancel.signal });
    expect(refused(await house.start({ program, execution_id: 'same' }))).toMatchObject({ error_kind: 'idempotency_conflict' });
    cancel.abort();
    await first;
  });
});
