import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { releaseShellsMethod, shellStatusMethod, type ShellCommandReport } from '../../../src/protocol/runner/shells.js';
import { isRefusal } from '../../../src/runner/request.js';
import { PersistentShell } from '../../../src/runner/shell/persistent-shell.js';
import { listProcesses } from '../../../src/runner/process/process-table.js';
import { isRunning, until } from '../jobs/execution-house.js';
import { shellHouse, type OpenShell, type ShellHouse } from './shell-house.js';

let house: ShellHouse;
beforeAll(async () => {
  house = await shellHouse({ max_shells: 64 });
});
afterAll(() => house.close());

const SHELLS = ['bash', 'sh'] as const;

/** Opens a shell for one test. */
const open = (shell: 'bash' | 'sh' = 'bash'): Promise<OpenShell> => house.open({ shell });
const pidOf = async (shell: OpenShell): Promise<number> => Number((await shell.run('echo $$')).stdout.text);
const refused = (answer: object): { error_kind: string; detail: Record<string, unknown> } => {
  if (!isRefusal(answer)) throw new Error(`not refused: ${JSON.stringify(answer)}`);
  return answer.refused;
};
/** Nothing of a shell's session is left. */
const gone = (pid: number): Promise<true> =>
  until(`session ${pid} is gone`, async () => (await listProcesses()).every((entry) => entry.session !== pid || entry.zombie) || null);

describe.each(SHELLS)('a live %s', (kind) => {
  it('[03-A20] keeps folder, variables, functions and mask between commands', async () => {
    await mkdir(house.project.path('sub'), { recursive: true });
    const shell = await open(kind);
    expect(shell.view).toMatchObject({ state: 'running', close_reason: null, busy: false, shell: kind, cwd: '.', commands: 0 });
    expect(await shell.run('cd sub; export A=1; f(){ echo $A; }; umask 027')).toMatchObject({
      execution_state: 'completed',
      exit_code: 0,
      failure_kind: null,
      error_code: null,
      after: { cwd: 'sub', state: 'running', initial_cwd: '.' },
    });
    expect((await shell.run('f; umask')).stdout.text).toBe('1\n0027\n');
    await shell.run('unset A');
    expect((await shell.run('f; sh -c \'echo "[$A]"\'')).stdout.text).toBe('\n[]\n');
  });

  it('separates the streams and gives the exit code', async () => {
    const shell = await open(kind);
    expect(await shell.run('echo out; echo err >&2; (exit 9)')).toMatchObject({
      execution_state: 'completed',
      exit_code: 9,
      failure_kind: 'command_exit_nonzero',
      error_code: null,
      stdout: { text: 'out\n', bytes: 4, lines: 1, truncated: false },
      stderr: { text: 'err\n', bytes: 4, lines: 1, truncated: false },
    });
  });

  it('[03-A25] gives commands no standard input, so that none eats what follows', async () => {
    const shell = await open(kind);
    expect(await shell.run('cat; read line; echo "[$line]"')).toMatchObject({ execution_state: 'completed', stdout: { text: '[]\n' } });
    expect((await shell.run('echo ok')).stdout.text).toBe('ok\n');
  });

  it('shows 20,000 bytes on both streams whole, without a trace of the framing', async () => {
    const shell = await open(kind);
    const report = await shell.run("i=0; while [ $i -lt 200 ]; do printf '%0100d' $i; printf '%0100d' $i >&2; i=$((i+1)); done");
    expect([report.stdout.bytes, report.stderr.bytes]).toEqual([20_000, 20_000]);
    for (const { text } of [report.stdout, report.stderr]) expect(text).toMatch(/^[0-9]{12000}$/);
  });

  it('takes output with NULs and marks of other commands for output', async () => {
    const shell = await open(kind);
    const mark = '\\0000102030405060708090a0b0c0d0e0f10\\0';
    expect((await shell.run(`printf 'a${mark}b\\0'; printf '${mark}0\\0/elsewhere\\0' >&9`)).stdout).toMatchObject({ text: 'a\0' + '0102030405060708090a0b0c0d0e0f10\0b\0' });
    expect(await shell.run('pwd')).toMatchObject({ stdout: { text: `${house.project.folder}\n` }, after: { cwd: '.' } });
  });

  it('is not deceived by functions, aliases, options and a PATH of the user', async () => {
    const shell = await open(kind);
    const traps =
      'printf(){ echo trapped; }; pwd(){ echo trapped; }; cd_(){ :; }; alias eval=false printf=false; PATH=/nowhere; IFS=0123456789abcdef; set -f; set -u; set -x';
    expect(await shell.run(traps)).toMatchObject({ execution_state: 'completed', exit_code: 0 });
    const after = await shell.run('set +x; echo fine');
    expect(after).toMatchObject({ execution_state: 'completed', exit_code: 0, stdout: { text: 'fine\n' }, after: { cwd: '.' } });
    expect(after.stderr.text).not.toContain('/bin/sh');
  });

  it.each([
    ['exported one variable that is too long', `export HUGE=$(head -c 200000 /dev/zero | tr "\\0" a)`, 'unset HUGE'],
    ['exported more than there is room for', 'a=$(head -c 100000 /dev/zero | tr "\\0" a); for n in $(seq 40); do export HUGE$n=$a; done', 'for n in {1..40}; do unset HUGE$n; done'],
  ])('is in step when no program can be started any more, since a command %s', async (_what, command, remedy) => {
    const shell = await open(kind);
    expect(await shell.run(`mkdir -p wide; cd wide; ${command}; (exit 6)`)).toMatchObject({ execution_state: 'completed', exit_code: 6, stderr: { text: '' }, after: { cwd: 'wide' } });
    expect(await shell.run('echo on; ls')).toMatchObject({ execution_state: 'completed', exit_code: 126, stdout: { text: 'on\n' } });
    if (kind === 'bash') expect(await shell.run(`${remedy}; ls; echo [$__wc_status]`)).toMatchObject({ exit_code: 0, stdout: { text: '[]\n' } });
  });

  it('takes its private descriptors along wherever a command sends the ordinary ones', async () => {
    const shell = await open(kind);
    await shell.run('exec >log.txt 2>&1');
    expect(await shell.run('echo hidden')).toMatchObject({ execution_state: 'completed', exit_code: 0, stdout: { text: '' } });
    expect((await shell.run('cat log.txt >&7')).stdout.text).toContain('hidden\n');
  });

  it('runs texts that end in a comment, a continuation or an open here-document', async () => {
    const shell = await open(kind);
    expect((await shell.run('echo one # two')).stdout.text).toBe('one\n');
    expect((await shell.run('echo one \\')).stdout.text).toBe('one \\\n');
    expect((await shell.run('cat <<X\nbody\nX')).stdout.text).toBe('body\n');
    expect((await shell.run("echo 'it'\\''s'\n\necho \"two\"")).stdout.text).toBe("it's\ntwo\n");
    expect((await shell.run('echo next')).stdout.text).toBe('next\n');
  });

  it.each([
    ['moves its own standard input', 'exec </dev/null', 0],
    ['moves descriptors around', 'exec 3>&1 4>&2 5</dev/null; echo x >&3; exec 3>&- 4>&- 5>&-', 0],
    ['starts another shell in its place of reading', 'sh -c "cat; exit 4"', 4],
    ['leaves background work behind', 'sleep 20 & sleep 20 & true', 0],
    ['reads on a trap', 'trap "echo bye" EXIT; true', 0],
    ['turns job control on', 'set -m; true', 0],
    ['returns at the top', 'f() { return 6; }; f', 6],
    ['breaks out of nothing', 'break 2>/dev/null; continue 2>/dev/null; true', 0],
    ['shifts its arguments', 'set -- a b c; shift; true', 0],
    ['changes the limits', 'ulimit -c 0; ulimit -n 64; true', 0],
  ])('keeps in step with a command that %s', async (_what, command, code) => {
    const shell = await open(kind);
    expect(await shell.run(command)).toMatchObject({ execution_state: 'completed', exit_code: code, error_code: null, after: { state: 'running' } });
    expect((await shell.run('echo next')).stdout.text).toBe('next\n');
    await shell.close();
  });

  it.each([
    ['closes its saved standard input', 'exec 10>&- 11>&- 12>&-'],
    ['stops at the first failure', 'set -e; false; touch went-on'],
    ['puts another program in its place', 'exec true'],
    ['closes everything', 'exec 0<&- 1>&- 2>&- 7>&- 8>&- 9>&-'],
    ['stops itself', 'kill -STOP $$'],
  ])('stays in step or ends with a command that %s', async (_what, command) => {
    const shell = await open(kind);
    const pid = await pidOf(shell);
    await shell.run(command, { timeout_ms: 300 });
    expect(existsSync(house.project.path('went-on'))).toBe(false);
    // Some end right behind their frame: then what was written to them was never begun.
    const next = await shell.tryRun('echo next; touch went-on');
    if (isRefusal(next)) expect(refused(next)).toMatchObject({ error_kind: 'persistent_shell_stale', detail: { command_started: false } });
    else expect(next).toMatchObject({ command: { execution_state: 'completed', stdout: { text: 'next\n' } } });
    expect([isRefusal(next), existsSync(house.project.path('went-on'))]).toEqual([isRefusal(next), !isRefusal(next)]);
    await rm(house.project.path('went-on'), { force: true });
    await shell.close();
    await gone(pid);
  });

  it('[03-A1] runs a command of 16,000 quotes', async () => {
    const shell = await open(kind);
    expect(await shell.run("'".repeat(16_000))).toMatchObject({ execution_state: 'completed', exit_code: 127 });
    expect((await shell.run('echo ok')).stdout.text).toBe('ok\n');
  });

  it('[03-A21] takes one command at a time, and the first one keeps its output', async () => {
    const shell = await open(kind);
    const first = shell.run('echo first; sleep 0.3; echo last');
    await until('it is busy', async () => (await shell.status()).shell.busy || null);
    const second = refused(await shell.tryRun('echo second'));
    expect(second).toMatchObject({ error_kind: 'shell_busy', detail: { execution_state: 'not_started', command_started: false, shell_state: 'running' } });
    expect((await first).stdout.text).toBe('first\nlast\n');
    expect(await shell.status()).toMatchObject({ shell: { busy: false, commands: 1 }, last_command: { execution_state: 'completed', stdout: { text: 'first\nlast\n' } } });
  });

  it('[03-A22] that exits gives its code and is final; another one has another id', async () => {
    const shell = await open(kind);
    const pid = await pidOf(shell);
    expect(await shell.run('sleep 30 & echo bye; exit 7')).toMatchObject({
      execution_state: 'completed',
      error_code: 'shell_exited',
      exit_code: 7,
      failure_kind: 'command_exit_nonzero',
      stdout: { text: 'bye\n' },
      descendants_ended: 1,
      after: { state: 'exited', close_reason: 'shell_process_exited' },
    });
    await gone(pid);
    expect(refused(await shell.tryRun('touch ran'))).toMatchObject({
      error_kind: 'persistent_shell_stale',
      detail: { shell_state: 'exited', command_started: false, execution_state: 'not_started' },
    });
    const again = await house.open({ shell: kind, session_id: shell.view.session_id });
    expect(again.view.shell_id).not.toBe(shell.view.shell_id);
    expect(await shell.close()).toMatchObject({ already_closed: true, shell: { state: 'exited' } });
    expect((await again.run('test ! -e ran; echo $?')).stdout.text).toBe('0\n');
  });

  it('says that a signal ended it', async () => {
    const shell = await open(kind);
    expect(await shell.run('kill -KILL $$')).toMatchObject({ execution_state: 'completed', error_code: 'shell_exited', exit_code: -1, signal: 'SIGKILL' });
  });

  it('[03-A23] is interrupted by a time-out: plain it exits, with a trap it goes on in step', async () => {
    const plain = await open(kind);
    const pid = await pidOf(plain);
    expect(await plain.run('sleep 30', { timeout_ms: 200 })).toMatchObject({
      execution_state: 'timed_out',
      error_code: 'shell_reset_required',
      failure_kind: 'timeout',
      after: { state: 'exited', close_reason: 'shell_exited_after_timeout' },
    });
    await gone(pid);

    const trapping = await open(kind);
    await trapping.run('trap : INT');
    expect(await trapping.run('sleep 30', { timeout_ms: 200 })).toMatchObject({
      execution_state: 'timed_out',
      error_code: 'command_timeout',
      failure_kind: 'timeout',
      after: { state: 'running', close_reason: null },
    });
    expect(await trapping.run('echo clean')).toMatchObject({ execution_state: 'completed', exit_code: 0, stdout: { text: 'clean\n' }, stderr: { text: '' } });
  });

  it('is poisoned when it ignores the interrupt, and nothing of it is left', async () => {
    const shell = await open(kind);
    const pid = await pidOf(shell);
    expect(await shell.run("trap '' INT; sleep 30; touch after-int", { timeout_ms: 100 })).toMatchObject({
      execution_state: 'timed_out',
      error_code: 'shell_reset_required',
      after: { state: 'poisoned', close_reason: 'command_timeout_sync_lost' },
    });
    await gone(pid);
    expect(refused(await shell.tryRun('true')).error_kind).toBe('persistent_shell_stale');
    expect(spawnSync('ls', [house.project.path('after-int')]).status).not.toBe(0);
  });

  it('never runs on into the rest of a command that was interrupted', async () => {
    const shell = await open(kind);
    await shell.run('sleep 30; touch rest-ran', { timeout_ms: 100 });
    expect(spawnSync('ls', [house.project.path('rest-ran')]).status).not.toBe(0);
  });

  it('[03-A24] is poisoned when it loses its control descriptor, and its group is gone', async () => {
    const shell = await open(kind);
    const pid = await pidOf(shell);
    expect(await shell.run('exec 9>&-; sleep 30 & sleep 30')).toMatchObject({
      execution_state: 'lost',
      error_code: 'shell_reset_required',
      failure_kind: 'outcome_unknown',
      after: { state: 'poisoned', close_reason: 'control_channel_lost' },
    });
    await gone(pid);
    expect(refused(await shell.tryRun('true')).error_kind).toBe('persistent_shell_stale');
  });

  it('is poisoned when an output descriptor is lost, although the control frame comes', async () => {
    const shell = await open(kind);
    expect(await shell.run('exec 7>&-')).toMatchObject({
      execution_state: 'lost',
      after: { state: 'poisoned', close_reason: 'output_channel_lost' },
    });
  });

  it('is ended when it does not execute any more (set -n)', async () => {
    const shell = await open(kind);
    const report = await shell.run('set -n', { timeout_ms: 200 });
    expect(report).toMatchObject({ execution_state: 'timed_out', error_code: 'shell_reset_required' });
    expect(['exited', 'poisoned']).toContain(report.after.state);
    expect(refused(await shell.tryRun('touch set-n-ran')).error_kind).toBe('persistent_shell_stale');
  });

  it('is told the end of a command that an interrupt of its caller cancelled', async () => {
    const shell = await open(kind);
    await shell.run('trap : INT');
    const cancel = new AbortController();
    const running = shell.run('echo begun; sleep 30', {}, { signal: cancel.signal });
    await until('it runs', async () => (await shell.status()).last_command?.stdout.text === 'begun\n' || null);
    cancel.abort();
    expect(await running).toMatchObject({ execution_state: 'cancelled', error_code: 'cancelled', failure_kind: 'cancelled', after: { state: 'running' } });
    expect((await shell.run('echo on')).stdout.text).toBe('on\n');

    const plain = await open(kind);
    const again = new AbortController();
    const ending = plain.run('echo begun; sleep 30', {}, { signal: again.signal });
    await until('it runs', async () => (await plain.status()).last_command?.stdout.text === 'begun\n' || null);
    again.abort();
    expect(await ending).toMatchObject({ execution_state: 'cancelled', error_code: 'shell_reset_required', after: { close_reason: 'shell_exited_after_cancel' } });
  });

  it('that is closed interrupts its command, and a late result revives nothing', async () => {
    const shell = await open(kind);
    const pid = await pidOf(shell);
    const running = shell.run("trap '' TERM INT; echo begun; sleep 30; echo late");
    await until('it is busy', async () => (await shell.status()).last_command?.stdout.text === 'begun\n' || null);
    expect(await shell.close()).toMatchObject({ already_closed: false, shell: { state: 'closed', close_reason: 'closed_by_caller' } });
    expect(await running).toMatchObject({
      execution_state: 'interrupted',
      error_code: 'shell_reset_required',
      failure_kind: 'cancelled',
      exit_code: null,
      stdout: { text: 'begun\n' },
      after: { state: 'closed', busy: false },
    });
    await gone(pid);
    expect(await shell.status()).toMatchObject({ shell: { state: 'closed', close_reason: 'closed_by_caller' } });
    expect(refused(await shell.tryRun('true')).error_kind).toBe('persistent_shell_stale');
  });

  it('[03-A26] is closed twice with success', async () => {
    const shell = await open(kind);
    expect(await shell.close()).toMatchObject({ already_closed: false, shell: { state: 'closed' } });
    expect(await shell.close()).toMatchObject({ already_closed: true, shell: { state: 'closed' } });
  });

  it('drops what comes between commands', async () => {
    const shell = await open(kind);
    await shell.run('(sleep 0.1; echo between; : >between-is-over) & ');
    await until('it has printed', () => spawnSync('ls', [house.project.path('between-is-over')]).status === 0 || null);
    expect((await shell.run('echo mine')).stdout.text).toBe('mine\n');
    await rm(house.project.path('between-is-over'));
  });

  it('answers a command that goes on as such, and its status tells the end', async () => {
    const shell = await open(kind);
    const early = await shell.run('echo begun; sleep 0.4; echo done', { answer_after_ms: 150 });
    expect(early).toMatchObject({ execution_state: 'running', exit_code: null, failure_kind: null, finished_at_ms: null, after: { busy: true } });
    expect(refused(await shell.tryRun('true')).error_kind).toBe('shell_busy');
    const ended = await shell.status(10_000);
    expect(ended).toMatchObject({ shell: { busy: false }, last_command: { execution_state: 'completed', exit_code: 0, stdout: { text: 'begun\ndone\n' } } });
  });
});

describe('a bash that is called sh', () => {
  it('keeps in step as well, whatever functions the environment brings along', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wc-sh-'));
    const bash = spawnSync('sh', ['-c', 'command -v bash'], { encoding: 'utf8' }).stdout.trim();
    await symlink(bash, join(folder, 'sh'));
    const ended: string[] = [];
    const shell = await PersistentShell.start(
      {
        shellId: 'x',
        project: 'p',
        sessionId: 's',
        shell: 'sh',
        remote: null, rootPath: folder,
        initialCwd: '.',
        openedAtMs: 0,
        settings: house.settings.value,
      },
      {
        file: join(folder, 'sh'),
        args: [],
        shell: 'sh',
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '', 'BASH_FUNC_printf%%': '() { echo trapped; }', 'BASH_FUNC_pwd%%': '() { echo trapped; }' },
        folder,
        now: () => performance.now(),
      },
      {
        idleMs: 60_000,
        insideRoot: () => '.',
        wallClock: Date.now,
        now: () => performance.now(),
        onEnded: () => ended.push('ended'),
        onGone: () => ended.push('gone'),
        onFault: (error) => ended.push(String(error)),
      },
    );
    if (!(shell instanceof PersistentShell)) throw new Error(shell.code);
    await shell.initialize();
    const run = async (command: string): Promise<ShellCommandReport> => {
      const report = await shell.execute(command, 10_000, () => undefined).ended;
      if (report === null) throw new Error('it was not begun');
      return report;
    };
    expect((await run('x=1; echo "$0"')).stdout.text).toBe(`${join(folder, 'sh')}\n`);
    expect(await run('echo $x; (exit 5)')).toMatchObject({ execution_state: 'completed', exit_code: 5, stdout: { text: '1\n' } });
    await shell.close('closed_by_caller');
    await rm(folder, { recursive: true });
    expect(ended).toEqual(['ended', 'gone']);
  });
});

describe('a bash', () => {
  it('runs its commands although a function is called eval', async () => {
    const shell = await open('bash');
    await shell.run('eval() { echo trapped; }');
    expect((await shell.run('echo fine')).stdout.text).toBe('fine\n');
    expect((await shell.run('eval x')).stdout.text).toBe('trapped\n');
  });

  it('gives up at once when a command has left no descriptor to mark its end with', async () => {
    const shell = await open('bash');
    const pid = await pidOf(shell);
    expect(await shell.run('ulimit -n 3', { timeout_ms: 20_000 })).toMatchObject({
      execution_state: 'lost',
      error_code: 'shell_reset_required',
      after: { state: 'poisoned', close_reason: 'control_channel_lost' },
    });
    await gone(pid);
  });
});

describe('a syntax error', () => {
  it("[03-A25] ends a command of bash with 2, and the shell goes on", async () => {
    const shell = await open('bash');
    expect(await shell.run("echo 'x")).toMatchObject({ execution_state: 'completed', exit_code: 2, error_code: null, after: { state: 'running' } });
    expect((await shell.run('echo ok')).stdout.text).toBe('ok\n');
  });

  it('[03-A25] ends dash itself with 2', async () => {
    const shell = await open('sh');
    expect(await shell.run("echo 'x")).toMatchObject({ execution_state: 'completed', exit_code: 2, error_code: 'shell_exited', after: { state: 'exited' } });
  });
});

describe('where a shell is', () => {
  it('is reported without links', async () => {
    await mkdir(house.project.path('real/deep'), { recursive: true });
    await symlink('real', house.project.path('link'));
    const shell = await open();
    expect((await shell.run('cd link/deep')).after.cwd).toBe('real/deep');
    const there = await house.open({ cwd: 'link/deep' });
    expect(there.view).toMatchObject({ cwd: 'real/deep', initial_cwd: 'real/deep' });
    expect((await there.run('pwd')).stdout.text).toBe(`${house.project.path('real/deep')}\n`);
  });

  it('may have any name', async () => {
    const odd = ' a\n"\'$x ü\\';
    await mkdir(house.project.path(odd));
    const shell = await open();
    expect((await shell.run(`cd -- ' a\n"'\\''$x ü\\'`)).after.cwd).toBe(odd);
    expect((await shell.run('true')).after.cwd).toBe(odd);
    expect((await house.open({ cwd: odd })).view.cwd).toBe(odd);
  });

  it('must be a folder inside the project', async () => {
    await symlink(house.project.base, house.project.path('out'));
    expect(refused(await house.tryOpen({ cwd: 'out' }))).toMatchObject({ error_kind: 'permission_denied', detail: { command_started: false } });
    expect(refused(await house.tryOpen({ cwd: 'no-such-folder' })).detail).toMatchObject({ execution_state: 'not_started' });
  });

  it('closes the shell when a command leaves the project, through a link too', async () => {
    for (const command of ['cd /tmp', 'cd out']) {
      const shell = await open();
      expect(await shell.run(`${command}; echo done`)).toMatchObject({
        execution_state: 'completed',
        exit_code: 0,
        error_code: 'shell_reset_required',
        stdout: { text: 'done\n' },
        after: { state: 'closed', close_reason: 'cwd_outside_project', cwd: '.' },
      });
    }
    const shell = await open();
    expect(await shell.run('cd /; cd - >/dev/null')).toMatchObject({ error_code: null, after: { state: 'running' } });
  });

  it('closes the shell, with nothing written to it, when its folder is gone', async () => {
    await mkdir(house.project.path('passing'));
    const shell = await house.open({ cwd: 'passing' });
    await rename(house.project.path('passing'), house.project.path('moved'));
    expect(refused(await shell.tryRun('touch ../written'))).toMatchObject({
      error_kind: 'shell_reset_required',
      detail: { command_started: false, shell_state: 'closed', close_reason: 'cwd_lost' },
    });
    expect(spawnSync('ls', [house.project.path('written')]).status).not.toBe(0);
  });

  it('closes the shell when the project is another folder than was registered', async () => {
    const other = await shellHouse();
    try {
      const shell = await other.open();
      await rename(other.project.folder, `${other.project.folder}-before`);
      await mkdir(other.project.folder);
      const looked = await other.ask(shellStatusMethod, { ...shell.binding, root: other.project.root, wait_ms: 0 });
      expect(refused(looked)).toMatchObject({ error_kind: 'shell_reset_required', detail: { close_reason: 'project_root_changed' } });
    } finally {
      await other.close();
    }
  });
});

describe('what binds a shell', () => {
  it('[03-A21] is one open shell a Session', async () => {
    const shell = await open();
    expect(refused(await house.tryOpen({ session_id: shell.view.session_id }))).toMatchObject({
      error_kind: 'persistent_shell_already_open',
      message: `This Session has an open shell, ${shell.view.shell_id}; use it, or close it first.`,
      detail: { shell_id: shell.view.shell_id, command_started: false },
    });
    const answers = await Promise.all([house.tryOpen({ session_id: 'at-once' }), house.tryOpen({ session_id: 'at-once' })]);
    expect(answers.map((answer) => (isRefusal(answer) ? answer.refused.error_kind : answer.state)).sort()).toEqual(['persistent_shell_already_open', 'running']);
  });

  it('is its Session and project, and every difference answers alike', async () => {
    const shell = await open();
    const missing = refused(await shell.tryRun('true', { shell_id: `wc_shell_${'0'.repeat(32)}` }));
    expect(missing.error_kind).toBe('persistent_shell_not_found');
    for (const other of [{ session_id: 'other' }, { project: 'agent:local:other' }, { shell_id: 'x' }]) {
      expect(refused(await shell.tryRun('true', other))).toEqual(missing);
    }
    expect((await shell.run('echo mine')).stdout.text).toBe('mine\n');
  });

  it('is the number of shells that may be open', async () => {
    const small = await shellHouse({ max_shells: 2 });
    try {
      const first = await small.open();
      await small.open();
      expect(refused(await small.tryOpen())).toMatchObject({ error_kind: 'persistent_shell_limit_reached', detail: { max_shells: 2 } });
      await first.close();
      expect(small.shells.openShells()).toBe(1);
      await small.open();
    } finally {
      await small.close();
    }
  });

  it('keeps 128 shells that are over', async () => {
    const first = await open();
    await first.close();
    const { ShellInventory } = await import('../../../src/runner/shell/shell-inventory.js');
    const inventory = new ShellInventory();
    const ended = (index: number): Parameters<typeof inventory.settle>[0] => ({
      identity: { shellId: `s${index}`, project: 'p', sessionId: 'x' },
      view: () => first.view,
      lastCommand: null,
    });
    for (let index = 0; index < 130; index += 1) inventory.settle(ended(index));
    const find = (index: number): unknown => inventory.find({ shell_id: `s${index}`, project: 'p', session_id: 'x' });
    expect([find(1), find(2) !== null, find(129) !== null]).toEqual([null, true, true]);
  });
});

describe('the life of a shell', () => {
  it('[03-A26] ends after a while without a command, and never while it is busy', async () => {
    const idle = await shellHouse({ shell_idle_secs: 1 });
    try {
      const shell = await idle.open();
      expect(await shell.run('sleep 1.5; echo awake')).toMatchObject({ execution_state: 'completed', stdout: { text: 'awake\n' }, after: { state: 'running' } });
      const ended = await until('it was closed', async () => {
        const { shell: view } = await shell.status();
        return view.state === 'running' ? null : view;
      });
      expect(ended).toMatchObject({ state: 'closed', close_reason: 'idle_timeout' });
      expect(idle.shells.openShells()).toBe(0);
    } finally {
      await idle.close();
    }
  });

  it('ends when its process is ended from outside', async () => {
    const shell = await open();
    process.kill(await pidOf(shell), 'SIGKILL');
    await until('it has exited', async () => (await shell.status()).shell.state === 'exited' || null);
    expect(await shell.status()).toMatchObject({ shell: { close_reason: 'shell_process_exited' } });
  });

  it('ends with its Session, its project and its Runner', async () => {
    const life = await shellHouse();
    const one = await life.open({ session_id: 'one' });
    const two = await life.open({ session_id: 'two' });
    const three = await life.open({ session_id: 'three' });
    const running = three.run('sleep 30');
    expect(await life.ask(releaseShellsMethod, { session_id: 'one', reason: 'session_closed' })).toEqual({ closed: 1 });
    expect((await one.status()).shell).toMatchObject({ state: 'closed', close_reason: 'session_closed' });
    expect(await life.ask(releaseShellsMethod, { project: 'agent:local:other', reason: 'project_unregistered' })).toEqual({ closed: 0 });
    const pid = await pidOf(two);
    await life.close();
    expect(await running).toMatchObject({ execution_state: 'interrupted', after: { close_reason: 'runner_shutdown' } });
    expect(await isRunning(pid)).toBe(false);
    expect((await two.status()).shell).toMatchObject({ state: 'closed', close_reason: 'runner_shutdown' });
    expect(refused(await life.tryOpen()).error_kind).toBe('runner_unavailable');
    expect(life.faults).toEqual([]);
  });

  it('releases the shells of a project', async () => {
    const life = await shellHouse();
    try {
      const shell = await life.open();
      expect(await life.ask(releaseShellsMethod, { project: shell.view.project, reason: 'project_unregistered' })).toEqual({ closed: 1 });
      expect((await shell.status()).shell.close_reason).toBe('project_unregistered');
    } finally {
      await life.close();
    }
  });
});

describe('what a shell prints', () => {
  it('is bounded a stream, and says what it left out', async () => {
    const shell = await open();
    const report = await shell.run('seq 1 200000; echo short >&2');
    expect(report.stdout).toMatchObject({ lines: 200_000, bytes: 1_288_895, truncated: true, last_line: 200_000 });
    expect(report.stdout.text.endsWith('\n199999\n200000\n')).toBe(true);
    expect([...report.stdout.text].length).toBeLessThanOrEqual(12_000);
    expect(report.stderr).toMatchObject({ text: 'short\n', truncated: false });
  });

  it('goes to its listener as it comes, whole, also when the listener is slow', async () => {
    const shell = await open();
    let seen = '';
    const notes: string[] = [];
    const report = await shell.run('seq 1 100000; echo oops >&2', {}, {
      onNote: ({ stream, text }) => {
        if (stream === 'stdout') seen += text;
        else notes.push(text);
        return false;
      },
      drained: () => new Promise((resolve) => setImmediate(resolve)),
    });
    expect(report.execution_state).toBe('completed');
    expect(seen).toBe(`${Array.from({ length: 100_000 }, (_, index) => index + 1).join('\n')}\n`);
    expect(notes.join('')).toBe('oops\n');
  });

  it('does not wait for a listener whose answer was due first', async () => {
    const shell = await open();
    const early = await shell.run('seq 1 300000', { answer_after_ms: 100 }, { onNote: () => false, drained: () => new Promise(() => undefined) });
    expect(early.execution_state).toBe('running');
    expect(await shell.status(10_000)).toMatchObject({ shell: { busy: false }, last_command: { execution_state: 'completed', stdout: { lines: 300_000 } } });
  });

  it('gives a flood no more than bursts with rests between them', async () => {
    const shell = await open();
    const { stdout, duration_ms: took } = await shell.run('cat /dev/zero', { timeout_ms: 300 });
    // A burst ends with the read that fills it, and each is followed by 10 ms of rest.
    const bursts = Math.ceil((took + 1_000) / 10);
    expect(stdout.bytes).toBeGreaterThan(512 * 1_024);
    expect(stdout.bytes).toBeLessThan(bursts * 640 * 1_024);
  });
});

describe('what may be opened', () => {
  it('is nothing where raw commands are switched off, and closes what is open', async () => {
    const strict = await shellHouse();
    try {
      const shell = await strict.open();
      strict.settings.replace({ ...strict.settings.value, allow_raw_shell: false });
      expect(refused(await shell.tryRun('touch written'))).toMatchObject({
        error_kind: 'shell_reset_required',
        detail: { close_reason: 'policy_changed', command_started: false },
      });
      expect(refused(await strict.tryOpen()).error_kind).toBe('permission_denied');
    } finally {
      await strict.close();
    }
  });

  it('runs the init script of its profile itself, once, at the root', async () => {
    const profiles = { mine: { env: { FROM_PROFILE: 'yes' }, init_script: 'echo run >>init-ran; greet(){ echo "hello $FROM_PROFILE"; }; export INIT_AT=$PWD; cd /' } };
    const withProfile = await shellHouse({ profiles, default_profile: 'mine' });
    try {
      await mkdir(withProfile.project.path('sub'));
      const shell = await withProfile.open({ cwd: 'sub' });
      expect(await shell.run('greet; echo "$INIT_AT"; false; echo on')).toMatchObject({
        stdout: { text: `hello yes\n${withProfile.project.folder}\non\n` },
        after: { cwd: 'sub', commands: 1 },
      });
      expect(await withProfile.project.read('init-ran')).toBe('run\n');
      withProfile.settings.replace({ ...withProfile.settings.value, profiles: {}, default_profile: undefined });
      expect(refused(await shell.tryRun('true')).detail).toMatchObject({ close_reason: 'profile_changed' });
    } finally {
      await withProfile.close();
    }
  });

  it.each([
    ['fails', 'false'],
    ['exits', 'exit 3'],
  ])('is no shell whose init script %s', async (_how, script) => {
    const failing = await shellHouse({ profiles: { mine: { init_script: script } }, default_profile: 'mine' });
    try {
      expect(refused(await failing.tryOpen({ shell: 'sh' }))).toMatchObject({
        error_kind: 'persistent_shell_initialization_failed',
        detail: { shell_state: 'poisoned', close_reason: 'initialization_failed' },
      });
      expect(failing.shells.openShells()).toBe(0);
    } finally {
      await failing.close();
    }
  });

  it('is no shell that loses step while it is set up', async () => {
    const lost = await shellHouse({ profiles: { mine: { init_script: 'exec 9>&-; sleep 30' } }, default_profile: 'mine' });
    try {
      expect(refused(await lost.tryOpen())).toMatchObject({
        error_kind: 'shell_reset_required',
        detail: { shell_state: 'poisoned', close_reason: 'initialization_sync_lost' },
      });
    } finally {
      await lost.close();
    }
  });

  it('answers status and close while it is being opened, and takes no command', async () => {
    const slow = await shellHouse({ profiles: { mine: { init_script: 'sleep 30' } }, default_profile: 'mine' });
    try {
      const opening = slow.tryOpen({ session_id: 'slow' });
      await until('it is noted', () => (slow.shells.openShells() === 1 ? true : null));
      const entry = await until('it is on record', async () => {
        const text = await import('node:fs/promises').then(({ readFile }) => readFile(join(slow.folder, 'shells.jsonl'), 'utf8').catch(() => ''));
        return text === '' ? null : (JSON.parse(text.split('\n')[0] ?? '') as { opened: { shell_id: string } });
      });
      const binding = { shell_id: entry.opened.shell_id, project: 'agent:local:test', session_id: 'slow' };
      expect(await slow.ask(shellStatusMethod, { ...binding, root: slow.project.root, wait_ms: 0 })).toMatchObject({ shell: { state: 'opening' } });
      await slow.shells.shutdown();
      expect(refused(await opening)).toMatchObject({ error_kind: 'shell_reset_required', detail: { close_reason: 'runner_shutdown' } });
    } finally {
      await slow.close();
    }
  });

  it('says that a program is missing, and starts nothing', async () => {
    await writeFile(house.project.path('not-a-folder'), '');
    expect(refused(await house.tryOpen({ cwd: 'not-a-folder' })).detail).toMatchObject({ execution_state: 'not_started' });
  });
});
