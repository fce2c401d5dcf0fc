import { spawn, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolResult } from '../../src/protocol/tool-result.js';
import type { CliPlace, Ended } from './cli.js';
import { cliPlace, gitRepository, WC } from './cli.js';

let place: CliPlace;
let repository: string;

beforeAll(() => {
  place = cliPlace();
  repository = gitRepository(place);
  const { code, err } = place.wc(['project', 'add', repository]);
  if (code !== 0) throw new Error(err);
}, 60_000);
afterAll(() => {
  place.close();
});

const run = (args: readonly string[], options: { input?: string; env?: NodeJS.ProcessEnv } = {}): Ended =>
  place.wc(args, { cwd: repository, ...options });
const jobId = ({ output }: ToolResult): string => output['job_id'] as string;
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('a program run from a terminal', () => {
  it('prints where it printed, and ends with its exit code', () => {
    expect(run(['run-shell', 'echo out; echo err >&2; exit 7'])).toEqual({ code: 7, out: 'out\n', err: 'err\n' });
    expect(run(['run-process', '--', 'node', '-e', 'console.log(process.argv.slice(1))', '--', '--json', 'a b'])).toEqual({
      code: 0,
      out: "[ '--json', 'a b' ]\n",
      err: '',
    });
  });

  it('ends with 128+n for its signal, 124 for its time-out, and says so', () => {
    expect(run(['run-shell', 'kill -SEGV $$'])).toEqual({ code: 139, out: '', err: 'wc: the program was ended by SIGSEGV.\n' });
    expect(run(['run-shell', '--timeout-secs', '1', 'sleep 30'])).toEqual({
      code: 124,
      out: '',
      err: 'wc: the program was ended after 1 s, its time-out.\n',
    });
  });

  it('ends with 125 when wc itself failed', () => {
    const missing = run(['run-process', '--', 'no-such-program-anywhere']);
    expect([missing.code, missing.out]).toEqual([125, '']);
    expect(missing.err).toContain('(spawn_failed)');
    expect(run(['run-shell', 'true', '--project', 'no-such-project']).code).toBe(125);
    expect(run(['run-process', '--json', '--input', '{"project":"no-such-project","executable":"true"}']).code).toBe(125);
  });

  it('ends with 2 for a mistake in the command line', () => {
    expect(run(['run-process', '--'])).toEqual({ code: 2, out: '', err: "wc: No program stands after --.\n" });
    expect(run(['run-shell', '--no-such-flag', 'true']).code).toBe(2);
    expect(run(['run-shell', 'echo', 'more']).err).toBe("wc: 'more' is a word too many. See 'wc run-shell --help'.\n");
  });

  it('gets what is piped in, and nothing from the null device', () => {
    expect(run(['run-process', '--', 'cat'], { input: 'grüße\n' }).out).toBe('grüße\n');
    expect(place.shell('"$WC" run-process -- cat </dev/null', { cwd: repository })).toEqual({ code: 0, out: '', err: '' });
    expect(run(['run-process', '--no-stdin', '--', 'cat'], { input: 'ignored' }).out).toBe('');
  });

  it('gets at most 64 KiB of it, and more is refused before anything starts', () => {
    expect(run(['run-shell', 'wc -c'], { input: 'x'.repeat(65_536) }).out.trim()).toBe('65536');
    expect(run(['run-shell', 'echo started'], { input: 'x'.repeat(65_537) })).toEqual({
      code: 125,
      out: '',
      err: 'wc: Standard input holds more than 64 KiB, and nothing was started. Write it to a file of the project and let the program read that, or give --no-stdin.\n',
    });
  });

  it('has the environment of the caller, without the token, unless --no-env', () => {
    const env = { WC_TEST_COLOUR: 'blue' };
    const line = 'echo "$WC_TEST_COLOUR/${WC_TOKEN-none}"';
    expect(run(['run-shell', line], { env }).out).toBe('blue/none\n');
    expect(run(['run-shell', '--no-env', line], { env }).out).toBe('/none\n');
  });

  it('loses nothing of a large output', () => {
    const { out } = run(['run-shell', 'for i in $(seq 1 60000); do echo "line $i"; done']);
    expect(out).toBe(lines(60_000));
  });
});

describe('work that goes on as a Job', () => {
  it('is followed to its end, without a gap and without a repeat', () => {
    const script = 'for i in 1 2 3 4 5 6 7 8; do printf "half $i"; sleep 0.2; echo " whole $i"; echo "e$i" >&2; done; exit 3';
    const { code, out, err } = run(['run-shell', '--sync-wait-secs', '1', script]);
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(out).toBe(numbers.map((n) => `half ${n} whole ${n}\n`).join(''));
    expect(err).toBe(numbers.map((n) => `e${n}\n`).join(''));
    expect(code).toBe(3);
  });

  it('is said, and not followed, in the document for scripts', () => {
    const { code, out } = run(['run-shell', '--json', '--sync-wait-secs', '1', 'sleep 2; exit 5']);
    const result = JSON.parse(out) as ToolResult;
    expect([code, result.output['execution_state']]).toEqual([0, 'running']);
    const waited = run(['job', 'wait', jobId(result)]);
    expect([waited.code, waited.out]).toEqual([5, `Job ${jobId(result)}: failed (exit 5)\n`]);
  });

  it('survives kill -9 of the daemon under the one who follows it', async () => {
    const following = place.start(['run-shell', '--sync-wait-secs', '1', 'for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; sleep 0.4; done; exit 4'], {
      cwd: repository,
    });
    await expect.poll(() => run(['job', 'list']).out, { timeout: 20_000 }).toContain('sleep 0.4');
    process.kill(place.status().pid!, 'SIGKILL');
    const { code, out } = await following;
    expect([code, out]).toEqual([4, '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n']);
  });
});

describe('Ctrl-C', () => {
  /** Starts a command, sends it a signal when it printed `ready`, and waits for its end. */
  async function interrupted(args: readonly string[], signal: NodeJS.Signals): Promise<{ code: number | null; out: string }> {
    const child = spawn(WC, args, { cwd: repository, env: place.env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8');
      if (out.includes('ready')) child.kill(signal);
    });
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { code, out };
  }

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends the whole tree, with exit code %i', async (signal, code) => {
    const mark = `3${process.pid}.${code}`;
    expect(await interrupted(['run-shell', `echo ready; sleep ${mark} & wait`], signal)).toEqual({ code, out: 'ready\n' });
    expect(running(`sleep ${mark}`)).toBe(false);
  });

  it('ends a Job that is followed', async () => {
    const mark = `4${process.pid}`;
    const ended = await interrupted(['run-shell', '--sync-wait-secs', '1', `sleep 2; echo ready; sleep ${mark}`], 'SIGINT');
    expect(ended).toEqual({ code: 130, out: 'ready\n' });
    expect(running(`sleep ${mark}`)).toBe(false);
  });

  it('a reader that has seen enough ends the program', () => {
    const { out } = place.shell(`"$WC" run-shell 'exec yes a-reader-that-has-seen-enough' | head -n 2`, { cwd: repository });
    expect(out).toBe('a-reader-that-has-seen-enough\n'.repeat(2));
    expect(running('a-reader-that-has-seen-enough')).toBe(false);
  });

  function running(text: string): boolean {
    return spawnSync('pgrep', ['-f', '--', text], { encoding: 'utf8' }).stdout.trim() !== '';
  }
});

describe('Jobs', () => {
  const start = (command: string): string => {
    const result = JSON.parse(run(['run-job', '--json', command]).out) as ToolResult;
    return jobId(result);
  };

  it('are listed, watched, waited for and stopped', () => {
    const job = start(`${lines(300).trimEnd().split('\n').map((line) => `echo ${line}`).join('; ')}; echo e >&2; sleep 60`);
    expect(run(['job', 'list']).out).toMatch(new RegExp(`^${job}  running .*echo line 1`, 'm'));
    expect(run(['job', 'wait', '--timeout', '1s', job])).toMatchObject({ code: 125, err: `wc: Job ${job} goes on.\n` });
    expect(run(['job', 'logs', job, '-n', '2'])).toEqual({ code: 0, out: 'line 299\nline 300\n', err: 'e\n' });
    expect(run(['job', 'logs', job, '--full', '--stream', 'stdout']).out).toBe(lines(300));
    expect(run(['job', 'stop', job])).toMatchObject({ code: 0, out: expect.stringMatching(/: (requested|stopped)\.\n$/) as string });
    expect(run(['job', 'wait', job]).code).toBe(143);
    expect(run(['job', 'stop', job]).out).toBe(`Job ${job}: already finished.\n`);
  });

  it('end with the exit code of their program', () => {
    expect(run(['job', 'wait', start('exit 9')]).code).toBe(9);
    expect(run(['job', 'logs', '--follow', start('echo a; sleep 0.3; echo b')])).toEqual({ code: 0, out: 'a\nb\n', err: '' });
  });

  it('that nobody knows are said to be unknown', () => {
    expect(run(['job', 'wait', 'wc_job_none'])).toMatchObject({ code: 125, out: '' });
    expect(run(['job', 'logs', 'wc_job_none'])).toMatchObject({ code: 1, err: expect.stringContaining('(unknown_job)') as string });
    expect(run(['job', 'stop', 'wc_job_none'])).toMatchObject({ code: 1, err: expect.stringContaining('(unknown_job)') as string });
  });
});
