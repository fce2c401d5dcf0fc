import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRunnerLink, type RunnerLink } from '../../src/daemon/runner-link/index.js';
import { describeEnvironmentMethod, startExecutionMethod, type ExecutionReport } from '../../src/protocol/runner/execution.js';
import type { RunnerLaunch } from '../../src/protocol/runner/launch.js';
import { VERSION } from '../../src/protocol/version.js';
import { isRunning, until } from './jobs/execution-house.js';
import { temporaryProject, type TemporaryProject } from './temporary-project.js';

const MAIN = fileURLToPath(new URL('../../dist/runner/main.js', import.meta.url));

let state: string;
let project: TemporaryProject;
let runner: ChildProcess;
let link: RunnerLink;
let launch: RunnerLaunch;

beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'wc-runner-'));
  project = await temporaryProject();
  launch = {
    state_folder: state,
    socket_path: join(state, 'runner.sock'),
    spool_folder: join(state, 'spool'),
    env: 'login',
    noninteractive: true,
    max_concurrent_jobs: 4,
    spool_max_bytes: 1_024 * 1_024,
  };
  // As the daemon starts it: under a tight mask, in a session of its own.
  runner = spawn('sh', ['-c', 'umask 077; exec "$@"', 'sh', process.execPath, MAIN, JSON.stringify(launch)], { detached: true, stdio: 'ignore' });
  await until('the socket is there', () => (existsSync(launch.socket_path) ? true : null));
  link = createRunnerLink({
    socketPath: launch.socket_path,
    daemon: { version: VERSION, stateFolder: state },
    launch: { execPath: process.execPath, args: ['-e', 'process.exit(1)'], env: {}, cwd: '/', logPath: join(state, 'runner.log') },
    log: () => undefined,
  });
  link.start();
});

afterEach(async () => {
  await link.stop('leave');
  runner.kill('SIGKILL');
  await project.remove();
  await rm(state, { recursive: true, force: true });
});

async function shell(command: string): Promise<ExecutionReport> {
  const said = await link.call(startExecutionMethod, {
    execution_id: randomUUID(),
    root: project.root,
    project: 'agent:local:test',
    session_id: null,
    source: 'run_shell',
    purpose: 'other',
    program: { kind: 'shell', command, shell: 'sh' },
    command_preview: 'test',
    stdin: null,
    cwd: null,
    timeout_ms: 60_000,
    mode: 'foreground',
    hand_off_after_ms: null,
    environment: null,
    stream_output: false,
    annotations: {},
  });
  if ('failure' in said || said.answer.outcome !== 'finished') throw new Error(JSON.stringify(said));
  return said.answer.report;
}

describe("the Runner's process", () => {
  it("gives what children make the user's file creation mask, from the first one on", async () => {
    const report = await shell('umask; touch made');
    expect(report.stdout.text).not.toBe('0077\n');
    const mask = parseInt(report.stdout.text, 8);
    expect((await stat(project.path('made'))).mode & 0o777).toBe(0o666 & ~mask);
  });

  it('keeps what it keeps itself private', async () => {
    await shell('true');
    const [life = ''] = await readdir(launch.spool_folder);
    const modes = await Promise.all([launch.spool_folder, join(launch.spool_folder, life)].map(async (path) => (await stat(path)).mode & 0o777));
    expect(modes).toEqual([0o700, 0o700]);
    expect((await stat(launch.socket_path)).mode & 0o777).toBe(0o600);
  });

  it('[00-D30] tells where the environment of its children came from', async () => {
    const said = await link.call(describeEnvironmentMethod, {});
    expect(said).toMatchObject({ answer: { source: 'login', failure: null, noninteractive: true } });
    expect('answer' in said && said.answer.names).toContain('PATH');
  });

  it('ends its children, its socket and its folder on SIGTERM', async () => {
    const running = shell('echo $$ >pid; sleep 60').catch((error: unknown) => error);
    const pid = await until('the command runs', async () => Number(await project.read('pid').catch(() => '')) || null);
    const exited = new Promise((resolve) => runner.once('exit', (code) => resolve(code)));
    runner.kill('SIGTERM');
    expect(await exited).toBe(0);
    expect(await isRunning(pid)).toBe(false);
    expect(existsSync(launch.socket_path)).toBe(false);
    expect(await readdir(launch.spool_folder)).toEqual([]);
    await running;
  });

  it('refuses settings that it does not understand, in words', async () => {
    const bad = spawn(process.execPath, [MAIN, JSON.stringify({ ...launch, max_concurrent_jobs: 65 })], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    bad.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
    expect(await new Promise((resolve) => bad.once('close', resolve))).toBe(1);
    expect(said).toContain('max_concurrent_jobs');
  });
});
