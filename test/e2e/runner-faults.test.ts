import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { createRunnerLink, type RunnerAnswer, type RunnerLink } from '../../src/daemon/runner-link/index.js';
import { startExecutionMethod, type ExecutionReport } from '../../src/protocol/runner/execution.js';
import { listJobsMethod, observeJobsMethod, stopJobMethod } from '../../src/protocol/runner/jobs.js';
import type { RunnerLaunch } from '../../src/protocol/runner/launch.js';
import { configureMethod } from '../../src/protocol/runner/settings.js';
import { VERSION } from '../../src/protocol/version.js';
import { listProcesses } from '../../src/runner/process/process-table.js';
import { temporaryProject, type TemporaryProject } from '../runner/temporary-project.js';

/*
 * The Runner's own process under what machines and programs do to it, over the same link
 * that the daemon uses.
 */

const MAIN = fileURLToPath(new URL('../../dist/runner/main.js', import.meta.url));
type Start = z.input<typeof startExecutionMethod.params>;
type Started = RunnerAnswer<z.output<typeof startExecutionMethod.result>>;

interface World {
  readonly project: TemporaryProject;
  readonly state: string;
  readonly link: RunnerLink;
  readonly runner: ChildProcess;
  readonly start: (command: string, params?: Partial<Start>) => Promise<Started>;
  readonly run: (command: string, params?: Partial<Start>) => Promise<ExecutionReport>;
}

const worlds: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of worlds.splice(0)) await close();
});

/** A Runner of its own; `limits` is a line of sh that its process is started under. */
async function world({ limits = ':', settings = {} }: { readonly limits?: string; readonly settings?: Partial<RunnerLaunch> } = {}): Promise<World> {
  const state = await mkdtemp(join(tmpdir(), 'wc-faults-'));
  const project = await temporaryProject();
  const launch: RunnerLaunch = {
    state_folder: state,
    socket_path: join(state, 'runner.sock'),
    spool_folder: join(state, 'spool'),
    env: 'inherit',
    noninteractive: true,
    max_concurrent_jobs: 4,
    spool_max_bytes: 1_024 * 1_024,
    ...settings,
  };
  const runner = spawn('sh', ['-c', `${limits}; exec "$@"`, 'sh', process.execPath, MAIN, JSON.stringify(launch)], { detached: true, stdio: 'ignore' });
  await until('the Runner serves its socket', () => existsSync(launch.socket_path));
  const link = createRunnerLink({
    socketPath: launch.socket_path,
    daemon: { version: VERSION, stateFolder: state },
    launch: { execPath: process.execPath, args: ['-e', 'process.exit(1)'], env: {}, cwd: '/', logPath: join(state, 'runner.log') },
    settings: configureMethod.params.parse({}),
    log: () => undefined,
  });
  link.start();
  worlds.push(async () => {
    await link.stop('shutdown');
    runner.kill('SIGKILL');
    await project.remove();
    await rm(state, { recursive: true, force: true });
  });
  const start: World['start'] = (command, params) =>
    link.call(startExecutionMethod, {
      execution_id: randomUUID(),
      root: project.root,
      project: 'agent:local:test',
      session_id: null,
      source: 'run_shell',
      purpose: 'other',
      program: { kind: 'shell', command, shell: 'bash' },
      command_preview: 'test',
      stdin: null,
      cwd: null,
      timeout_ms: 30_000,
      mode: 'foreground',
      hand_off_after_ms: null,
      environment: null,
      stream_output: false,
      annotations: {},
      ...params,
    });
  return {
    project,
    state,
    link,
    runner,
    start,
    run: async (command, params) => {
      const started = await start(command, params);
      if ('failure' in started || started.answer.outcome !== 'finished') throw new Error(JSON.stringify(started));
      return started.answer.report;
    },
  };
}

async function until(what: string, fact: () => Promise<boolean> | boolean, withinMs = 15_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await fact())) {
    if (performance.now() > deadline) throw new Error(`it did not come true within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function aliveIn(session: number): Promise<number[]> {
  return (await listProcesses()).filter((entry) => entry.session === session && !entry.zombie).map(({ pid }) => pid);
}

describe('a program', () => {
  it.skipIf(process.platform !== 'linux')('that forks up to the limit of its user is ended whole, and the next command runs', async () => {
    const { run, project } = await world();
    // Root has no limit of processes: the bomb runs as nobody then.
    const asNobody = process.getuid?.() === 0 ? 'setpriv --reuid 65534 --regid 65534 --clear-groups' : '';
    await project.write('bomb', 'bomb() { bomb | bomb & }; bomb; sleep 60\n');
    const report = await run(`echo $$ >leader; chmod 755 .; exec prlimit --nproc=120 ${asNobody} bash bomb 2>/dev/null`, { timeout_ms: 2_000 });
    expect(report).toMatchObject({ execution_state: 'timed_out', failure_kind: 'timeout', survivor_pids: [] });
    const leader = Number(await project.read('leader'));
    await until('nothing of it is alive', async () => (await aliveIn(leader)).length === 0, 3_000);
    expect(await run('echo fine')).toMatchObject({ exit_code: 0, stdout: { text: 'fine\n' } });
  });

  it('whose folder is deleted under it goes on; a later start there starts nothing', async () => {
    const { run, start, project } = await world();
    await mkdir(project.path('sub'));
    const report = await run('rm -r "$PWD"; echo still here; cd .. && touch from-above', { cwd: 'sub' });
    expect(report).toMatchObject({ execution_state: 'completed', cwd: 'sub', stdout: { text: 'still here\n' } });
    const later = await start('touch made', { cwd: 'sub' });
    expect(later).toMatchObject({ failure: { output: { error_kind: 'not_found', execution_state: 'not_started', command_started: false } } });
    await symlink(project.base, project.path('sub'));
    expect(await start('touch made', { cwd: 'sub' })).toMatchObject({ failure: { output: { error_kind: 'permission_denied', execution_state: 'not_started' } } });
    await expect(project.read('made')).rejects.toThrow();
  });

  it('whose whole project is deleted under it ends as it ends', async () => {
    const { run, start, project } = await world();
    expect(await run('cd /; rm -r "$OLDPWD"; echo gone; exit 7')).toMatchObject({ exit_code: 7, stdout: { text: 'gone\n' } });
    expect(await start('true')).toMatchObject({ failure: { output: { error_kind: 'project_root_changed', execution_state: 'not_started' } } });
    await expect(readdir(project.folder)).rejects.toThrow();
  });
});

describe('the Runner', () => {
  it('without descriptors to give refuses what it can not start, says why, and serves on', async () => {
    const { start, run, project } = await world({ limits: 'ulimit -n 160' });
    const waiting = (await Promise.all(Array.from({ length: 64 }, () => start('while [ ! -e go ]; do sleep 0.1; done', { hand_off_after_ms: 100 })))).map((started) =>
      'failure' in started ? started.failure.output : started.answer.outcome,
    );
    const refused = waiting.filter((one) => typeof one === 'object');
    const running = waiting.filter((one) => one === 'handed_off');
    expect(running.length).toBeGreaterThan(8);
    expect(refused.length).toBeGreaterThan(0);
    for (const refusal of refused) {
      expect(refusal).toMatchObject({ execution_state: 'not_started', command_started: false, state_changed: false });
      expect(['not_started', 'spawn_failed', 'job_limit_reached']).toContain(refusal['error_kind']);
    }
    await project.write('go', '');
    await until('a command runs again', async () => {
      const again = await start('echo back');
      return 'answer' in again && again.answer.outcome === 'finished' && again.answer.report.stdout.text === 'back\n';
    });
    expect((await run('echo fine')).stdout.text).toBe('fine\n');
  });

  it('without descriptors still ends everything that it started', async () => {
    const { start, link, project } = await world({ limits: 'ulimit -n 160' });
    const started = await Promise.all(Array.from({ length: 64 }, () => start('echo $$ >>pids; sleep 60 & wait', { hand_off_after_ms: 100 })));
    expect(started.filter((one) => 'answer' in one).length).toBeGreaterThan(8);
    const pids = (await project.read('pids')).trim().split('\n').map(Number);
    await link.stop('shutdown');
    for (const pid of pids) expect(await aliveIn(pid)).toEqual([]);
  });

  it('without room for output keeps what it has, says so, and the Job ends as it ends', async () => {
    // No file of this process may grow beyond 32 KiB: a disk that is full, for one user alone.
    const { start, link } = await world({ limits: 'ulimit -f 64' });
    const started = await start('seq 1 200000; exit 3', { mode: 'job', source: 'run_job' });
    if ('failure' in started || started.answer.outcome !== 'handed_off') throw new Error(JSON.stringify(started));
    const { job_id } = started.answer.job;
    const ended = await link.call(observeJobsMethod, {
      items: [{ job_id, after: started.answer.cursor, reset: false }],
      tail_lines: 1,
      wait_ms: 15_000,
      wake_on: 'terminal',
    });
    expect(ended).toMatchObject({
      answer: {
        items: [
          {
            job: { status: 'failed', exit_code: 3, reason: 'output_not_spooled: EFBIG', stdout: { lines: 200_000, bytes: 1_288_895 } },
            stdout: { text: '200000\n', first_line: 200_000, last_line: 200_000 },
          },
        ],
      },
    });
    expect((await start('echo fine')) as object).toMatchObject({ answer: { outcome: 'finished', report: { stdout: { text: 'fine\n' } } } });
  });

  it('gives 64 commands at once their pipes, more than it has made ahead, and takes all of them back', async () => {
    const { run, runner } = await world();
    await run('true');
    const open = async (): Promise<number> => (await readdir(`/proc/${runner.pid ?? 0}/fd`).catch(() => [])).length;
    const reports = await Promise.all(Array.from({ length: 64 }, (_, number) => run(`echo ${number}; echo e${number} >&2`)));
    expect(reports.map(({ stdout, stderr }) => stdout.text + stderr.text)).toEqual(reports.map((_, number) => `${number}\ne${number}\n`));
    // 32 to 48 pairs of pipes made ahead, two ends each, and what a Node process has open itself.
    await until('what it holds open is bounded again', async () => (await open()) < 280);
  });

  it.skipIf(process.platform !== 'linux')('holds no pipe of a command that has ended', async () => {
    const { run, runner } = await world();
    const fifos = async (): Promise<number> => {
      const folder = `/proc/${runner.pid ?? 0}/fd`;
      const targets = await Promise.all((await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => '')));
      return targets.filter((target) => target.includes('(deleted)')).length;
    };
    for (let round = 0; round < 40; round += 1) await run('echo x');
    // Ready pairs only: four ends each.
    await until('only ready pipes are open', async () => (await fifos()) <= 48 * 4);
  });

  it('shuts down under load within its bounds: what runs is ended, what waits never starts', async () => {
    const { start, link, runner, project } = await world({ settings: { max_concurrent_jobs: 2 } });
    for (let number = 0; number < 4; number += 1) await start(`trap '' TERM; echo $$ >>pids; sleep 60; touch never`, { mode: 'job', source: 'run_job' });
    const waiting = start('trap "" TERM; echo $$ >>pids; sleep 60');
    await until('three of them run', async () => (await project.read('pids').catch(() => '')).trim().split('\n').length === 3);
    const since = performance.now();
    const exited = new Promise((resolve) => runner.once('exit', resolve));
    await link.stop('shutdown');
    expect(performance.now() - since).toBeLessThan(6_000);
    expect(await exited).toBe(0);
    const answered = await waiting;
    expect(answered).toMatchObject({ answer: { outcome: 'finished', report: { execution_state: 'cancelled' } } });
    for (const pid of (await project.read('pids')).trim().split('\n')) expect(await aliveIn(Number(pid))).toEqual([]);
    await expect(project.read('never')).rejects.toThrow();
  });

  it('takes no harm of a flood of starts and stops', async () => {
    const { start, link } = await world({ settings: { max_concurrent_jobs: 8 } });
    const ids = await Promise.all(
      Array.from({ length: 32 }, async () => {
        const started = await start('yes', { mode: 'job', source: 'run_job' });
        if ('failure' in started || started.answer.outcome !== 'handed_off') throw new Error(JSON.stringify(started));
        return started.answer.job.job_id;
      }),
    );
    await Promise.all(ids.map((job_id) => link.call(stopJobMethod, { job_id })));
    await until('all of them have ended', async () => {
      const listed = await link.call(listJobsMethod, { status: 'stopped', project: null, session_id: null, limit: 128 });
      return 'answer' in listed && listed.answer.matched === 32;
    });
  });
});

describe('clocks', () => {
  it('no bound of Runner, link or memory of Jobs runs on the wall clock', () => {
    const wall = ['src/runner', 'src/daemon/runner-link', 'src/daemon/jobs'].flatMap((folder) => sourcesUsingWallClock(folder));
    // Times for people: when a Runner, a Job or a shell started, a log line, and what telemetry notes.
    expect(wall.sort()).toEqual(['src/daemon/jobs/observe.ts', 'src/runner/jobs/index.ts', 'src/runner/main.ts', 'src/runner/shell/index.ts']);
  });
});

function sourcesUsingWallClock(folder: string): string[] {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && /\bDate\.now\b|\bnew Date\(/.test(readFileSync(join(root, folder, file), 'utf8')))
    .map((file) => `${folder}/${file}`);
}
