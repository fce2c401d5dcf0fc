import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOutputMethod } from '../../../src/protocol/runner/execution.js';
import { listJobsMethod } from '../../../src/protocol/runner/jobs.js';
import type { runnerSettingsSchema } from '../../../src/protocol/runner/settings.js';
import { findProcess, type ProcessEntry } from '../../../src/runner/process/process-table.js';
import { provenGroup } from '../../../src/runner/jobs/proven-group.js';
import { endMarkedStarts, StartMarks } from '../../../src/runner/jobs/start-marks.js';
import { isRefusal } from '../../../src/runner/request.js';
import { temporaryProject, type TemporaryProject } from '../temporary-project.js';
import { executionHouse, isRunning, observe, observed, until, type ExecutionHouse, type StartParams } from './execution-house.js';

let project: TemporaryProject;
let spool: string;
let doomed: ChildProcess | null = null;
beforeEach(async () => {
  project = await temporaryProject();
  spool = await mkdtemp(join(tmpdir(), 'wc-spool-'));
});
afterEach(async () => {
  doomed?.kill('SIGKILL');
  await project.remove();
  await rm(spool, { recursive: true, force: true });
});

const job = (command: string, mode: StartParams['mode'] = 'job'): StartParams => ({
  execution_id: randomUUID(),
  root: project.root,
  project: 'agent:local:test',
  session_id: 'wc_sess_0123456789abcdef',
  source: 'run_job',
  purpose: 'operation',
  program: { kind: 'shell', command, shell: 'bash' },
  command_preview: 'preview',
  stdin: null,
  cwd: null,
  timeout_ms: 60_000,
  mode,
  hand_off_after_ms: null,
  environment: null,
  stream_output: false,
  annotations: { result_expectation: 'failure' },
});

interface DoomedOptions {
  readonly maxConcurrentJobs?: number;
  /** Its settings, as the daemon would send them. */
  readonly runner?: z.input<typeof runnerSettingsSchema>;
}

/** Starts the requests in a Runner of its own, and kills it with -9 once `fact` holds. */
async function killedRunner(requests: readonly StartParams[], fact: () => Promise<unknown>, { maxConcurrentJobs = 4, runner: runnerSettings = {} }: DoomedOptions = {}): Promise<string> {
  const instanceId = randomBytes(16).toString('hex');
  const settings = { spoolFolder: spool, instanceId, maxConcurrentJobs, requests, settings: runnerSettings };
  const script = fileURLToPath(new URL('./doomed-runner.mjs', import.meta.url));
  const runner = spawn(process.execPath, [script, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'inherit'] });
  doomed = runner;
  const answers = createInterface({ input: runner.stdout });
  const jobs = requests.filter(({ mode }) => mode === 'job').length;
  let answered = 0;
  answers.on('line', () => (answered += 1));
  await until('the Jobs are there', () => (answered >= jobs ? true : null));
  await fact();
  const exited = new Promise((resolve) => runner.once('exit', resolve));
  runner.kill('SIGKILL');
  await exited;
  return instanceId;
}

const pidIn = (file: string): Promise<number> =>
  until(`a pid in ${file}`, async () => Number((await project.read(file).catch(() => '')).trim()) || null);

/** How many started groups the killed Runner's record holds. */
async function noted(): Promise<number> {
  const [life = ''] = await readdir(spool);
  return (await readFile(join(spool, life, 'groups.jsonl'), 'utf8').catch(() => '')).split('"started"').length - 1;
}

async function withSuccessor(check: (house: ExecutionHouse) => Promise<void>): Promise<void> {
  const house = await executionHouse({ spoolFolder: spool });
  try {
    await check(house);
  } finally {
    await house.close();
  }
}

const lostJobs = async (house: ExecutionHouse) => {
  const listed = await house.ask(listJobsMethod, { status: 'lost', project: null, session_id: null, limit: 128 });
  if (isRefusal(listed)) throw new Error(listed.refused.message);
  return listed.jobs;
};

describe('after a Runner was killed', () => {
  it('[03-A13] the next one ends what it left and reports its Jobs lost, and starts nothing again', async () => {
    let pids: number[] = [];
    await killedRunner([job('echo run >>runs; echo said; sleep 60 & echo $! >child.pid; echo $$ >leader.pid; wait')], async () => {
      pids = [await pidIn('leader.pid'), await pidIn('child.pid')];
    });
    await withSuccessor(async (house) => {
      const [lost, ...others] = await lostJobs(house);
      expect(others).toEqual([]);
      expect(lost).toMatchObject({
        status: 'lost',
        execution_state: 'outcome_unknown',
        outcome: 'outcome_unknown',
        failure_kind: 'outcome_unknown',
        reason: 'runner_instance_replaced',
        project: 'agent:local:test',
        session_id: 'wc_sess_0123456789abcdef',
        command_preview: 'preview',
        purpose: 'operation',
        annotations: { result_expectation: 'failure' },
        survivor_pids: [],
      });
      expect(await Promise.all(pids.map(isRunning))).toEqual([false, false]);
      expect(await project.read('runs')).toBe('run\n');
    });
  });

  it('what its Jobs had printed can still be read, and an old cursor is a reset', async () => {
    const instance = await killedRunner([job('seq 1 20000; touch printed; sleep 60')], () =>
      until('it has printed', () => project.read('printed').then(() => true, () => null)),
    );
    await withSuccessor(async (house) => {
      const [lost] = await lostJobs(house);
      const jobId = lost?.job_id ?? '';
      expect(lost?.stdout.lines).toBeGreaterThan(1_000);
      const read = await house.ask(readOutputMethod, { of: { job_id: jobId }, stream: 'stdout', start_line: 3, skip_bytes: 0, limit: 2, max_bytes: 1_024 });
      expect(read).toMatchObject({ text: '3\n4\n', ended: true });
      const after = { instance: instance.slice(0, 8), update_seq: 2, next_stdout_line: 1, next_stderr_line: 1 };
      expect(observed(await observe(house, jobId, { after })).log_delta_status).toBe('reset');
    });
  });

  it('so can what was printed before a hand-off, however much it was', async () => {
    await killedRunner([{ ...job('seq 1 200000; touch printed; sleep 60', 'foreground'), hand_off_after_ms: 300 }], async () => {
      await until('it has printed', () => project.read('printed').then(() => true, () => null));
      await until('it is noted', async () => ((await noted()) === 1 ? true : null));
    });
    await withSuccessor(async (house) => {
      const [lost] = await lostJobs(house);
      const read = await house.ask(readOutputMethod, { of: { job_id: lost?.job_id ?? '' }, stream: 'stdout', start_line: 100_000, skip_bytes: 0, limit: 1, max_bytes: 1_024 });
      expect(read).toMatchObject({ text: '100000\n' });
    });
  });

  it('a command in the foreground is lost too, and one that waited was never started', async () => {
    await killedRunner([job('echo $$ >leader.pid; sleep 60'), job('touch never'), job('echo $$ >foreground.pid; sleep 60', 'foreground')], async () => {
      await pidIn('foreground.pid');
      await until('both groups are noted', async () => ((await noted()) === 2 ? true : null));
    }, { maxConcurrentJobs: 1 });
    await withSuccessor(async (house) => {
      const lost = await lostJobs(house);
      expect(lost.map(({ execution_state }) => execution_state).sort()).toEqual(['not_started', 'outcome_unknown', 'outcome_unknown']);
      await expect(project.read('never')).rejects.toThrow('ENOENT');
      expect(await isRunning(await pidIn('foreground.pid'))).toBe(false);
    });
  });

  it('a group whose leader is gone is known by the id that its members carry', async () => {
    let child = 0;
    await killedRunner([job('(trap "" HUP PIPE; exec sleep 60) & echo $! >child.pid; echo $$ >leader.pid; sleep 60')], async () => {
      child = await pidIn('child.pid');
      await pidIn('leader.pid');
    });
    process.kill(await pidIn('leader.pid'), 'SIGKILL');
    await until('the leader is gone', async () => ((await isRunning(await pidIn('leader.pid'))) ? null : true));
    expect(await isRunning(child)).toBe(true);
    await withSuccessor(async (house) => {
      expect(await lostJobs(house)).toHaveLength(1);
      expect(await isRunning(child)).toBe(false);
    });
  });

  // Who started what is read from /proc.
  describe.runIf(process.platform === 'linux')('also what it was only starting is ended', () => {
    /** A process as an execution starts it, with what it carries. */
    const carrying = async (id: string): Promise<ChildProcess & { readonly pid: number }> => {
      const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env: { ...process.env, WC_EXECUTION_ID: id } });
      await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
      return child as ChildProcess & { readonly pid: number };
    };

    it('a process that it had not yet on record, and none whose start is over', async () => {
      const instance = await killedRunner([], () => until('its folder is there', async () => ((await readdir(spool)).some((name) => /^[0-9a-f]+$/.test(name)) ? true : null)));
      const marks = new StartMarks(join(spool, instance), (error) => expect.unreachable(String(error)));
      const [starting, recorded, other] = await Promise.all(['wc_job_a', 'wc_job_b', 'wc_job_c'].map(carrying));
      marks.begin('wc_job_0')();
      marks.begin('wc_job_a');
      marks.begin('wc_job_b')();
      marks.close();
      try {
        await withSuccessor(async (house) => {
          expect(await lostJobs(house)).toEqual([]);
          expect(await Promise.all([starting, recorded, other].map((child) => isRunning(child?.pid ?? 0)))).toEqual([false, true, true]);
        });
      } finally {
        for (const child of [starting, recorded, other]) child?.kill('SIGKILL');
      }
    });

    it("a profile's init script", async () => {
      let pids: number[] = [];
      const init_script = '(trap "" TERM; exec sleep 60) & echo $! >child.pid; echo $$ >init.pid; wait';
      await killedRunner([job('touch never', 'foreground')], async () => {
        pids = [await pidIn('init.pid'), await pidIn('child.pid')];
      }, { runner: { profiles: { slow: { init_script } }, default_profile: 'slow' } });
      expect(await Promise.all(pids.map(isRunning))).toEqual([true, true]);
      await withSuccessor(async (house) => {
        await lostJobs(house);
        expect(await Promise.all(pids.map(isRunning))).toEqual([false, false]);
        await expect(project.read('never')).rejects.toThrow('ENOENT');
      });
    });

    it('a mark is taken back once, and its place is used again', async () => {
      const marks = new StartMarks(spool, (error) => expect.unreachable(String(error)));
      const first = marks.begin('wc_job_1');
      const second = marks.begin('wc_job_2');
      first();
      const third = marks.begin('wc_job_3');
      first();
      expect((await readFile(join(spool, 'starting'), 'latin1')).match(/\S+/g)).toEqual(['wc_job_3', 'wc_job_2']);
      second();
      third();
      expect((await readFile(join(spool, 'starting'), 'latin1')).trim()).toBe('');
      marks.close();
      await endMarkedStarts(spool, 100);
    });
  });

  it("nothing of it stays on disk once its Jobs are forgotten, and a living Runner's folder is left alone", async () => {
    await killedRunner([], () => Promise.resolve());
    const living = await executionHouse({ spoolFolder: spool });
    await withSuccessor(async (house) => {
      await lostJobs(house);
      expect(await readdir(spool)).toHaveLength(2);
    });
    expect(await living.shell('echo alive')).toMatchObject({ stdout: { text: 'alive\n' } });
    await living.close();
    expect(await readdir(spool)).toEqual([]);
  });

  it('a folder that says nonsense harms nobody', async () => {
    await writeFile(join(spool, 'stray'), 'no folder');
    await withSuccessor(async (house) => {
      expect(await lostJobs(house)).toEqual([]);
      expect(await house.shell('echo fine')).toMatchObject({ exit_code: 0 });
    });
  });
});

describe('the proof that a group is still ours', () => {
  const entry = (pid: number, startTime: string, group = 100): ProcessEntry => ({ pid, group, session: 100, zombie: false, startTime });
  const group = { executionId: 'wc_job_x', pid: 100, startTime: '7' };

  it('is a leader with the same start time, and stays while a member lives', async () => {
    let entries = [entry(100, '7'), entry(101, '9')];
    const list = provenGroup(group, () => Promise.resolve(entries));
    expect((await list()).map(({ pid }) => pid)).toEqual([100, 101]);
    entries = [entry(101, '9')];
    expect((await list()).map(({ pid }) => pid)).toEqual([101]);
    entries = [];
    expect(await list()).toEqual([]);
    entries = [entry(100, '500')];
    expect(await list()).toEqual([]);
  });

  it('is none when the numbers were given to somebody else', async () => {
    const other = [entry(100, '500'), entry(101, '501')];
    expect(await provenGroup(group, () => Promise.resolve(other))()).toEqual([]);
    const self = await findProcess(process.pid);
    const leaderless = self === null ? [] : [{ ...self, group: 100, session: 100 }];
    expect(await provenGroup(group, () => Promise.resolve(leaderless))()).toEqual([]);
  });
});
