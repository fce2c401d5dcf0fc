import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

describe('a reader that is slow', () => {
  const FLOOD = 400_000;
  const whole = Array.from({ length: FLOOD }, (_, index) => `${index + 1}\n`).join('');
  let small: CliPlace;
  let folder: string;

  beforeAll(() => {
    small = cliPlace();
    folder = gitRepository(small);
    // Far less than the program prints: what is not held back would be dropped.
    mkdirSync(small.home, { mode: 0o700 });
    writeFileSync(join(small.home, 'config.json'), '{"runner":{"spool_max_bytes":1048576}}');
    const { code, err } = small.wc(['project', 'add', folder]);
    if (code !== 0) throw new Error(err);
  }, 60_000);
  afterAll(() => small.close());

  it('gets the whole output, which waits for it as in any pipeline', () => {
    const { code, out, err } = small.shell(`"$WC" run-process -n -- seq 1 ${FLOOD} | (sleep 1; cat)`, { cwd: folder });
    expect([code, err, out === whole]).toEqual([0, '', true]);
  });

  it('gets it whole too when the program goes on as a Job meanwhile, and when only the Job prints', () => {
    for (const command of [`seq 1 ${FLOOD}`, `sleep 1.2; seq 1 ${FLOOD}`]) {
      const { code, out, err } = small.shell(`"$WC" run-shell -n --sync-wait-secs 1 '${command}' | (sleep 2; cat)`, { cwd: folder });
      expect([code, err, out === whole], command).toEqual([0, '', true]);
    }
  });

  it('is told what a Job that nobody followed no longer has', () => {
    const job = jobId(JSON.parse(small.wc(['run-job', '--json', `seq 1 ${FLOOD}`], { cwd: folder }).out) as ToolResult);
    expect(small.wc(['job', 'wait', job], { cwd: folder }).code).toBe(0);
    const { code, out, err } = small.wc(['job', 'logs', '--full', job]);
    const missing = whole.length - out.length;
    expect(missing).toBeGreaterThan(1_000_000);
    expect([code, out.startsWith('1\n2\n'), out.endsWith(`\n${FLOOD}\n`)]).toEqual([0, true, true]);
    expect(err).toMatch(new RegExp(`^wc: ${missing} bytes of stdout are missing above, in the lines [0-9]+ to [0-9]+: they are not kept\\.\n$`));
  });
});

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
    expect(run(['run-process', 'npm', 'run', 'a b']).err).toBe("wc: 'npm' is a word too many. The program stands behind '--': wc run-process -- npm run 'a b'\n");
    expect(run(['run-script', 'x.sh', 'a']).code).toBe(2);
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

  it('gets what is no text as it is, and passes its own on as it is', () => {
    const bytes = join(place.folder, 'bytes');
    writeFileSync(bytes, Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 7) % 256)));
    for (const line of ['"$WC" run-process -- cat <"$BYTES"', 'cat "$BYTES" | "$WC" run-process -- cat', '"$WC" run-process --no-stdin -- cat "$BYTES"', '"$WC" run-shell -n \'cat "$BYTES" >&2\' 2>&1']) {
      expect(place.shell(`${line} | cmp - "$BYTES" && echo same`, { cwd: repository, env: { BYTES: bytes } }), line).toEqual({ code: 0, out: 'same\n', err: '' });
    }
    expect(place.shell(`"$WC" run-shell --sync-wait-secs 1 'head -c 2000 "$BYTES"; sleep 1.5; tail -c +2001 "$BYTES"' | cmp - "$BYTES" && echo same`, { cwd: repository, env: { BYTES: bytes } }).out).toBe('same\n');
  });

  it('passes on a line of ten megabytes, and an end of output before the end of the program', () => {
    const line = run(['run-shell', "head -c 10000000 /dev/zero | tr '\\0' x; exit 4"]);
    expect([line.code, line.out.length, line.out.replace(/^x+$/, '')]).toEqual([4, 10_000_000, '']);
    expect(run(['run-shell', 'echo a; exec >&- 2>&-; sleep 0.3; exit 6'])).toEqual({ code: 6, out: 'a\n', err: '' });
  });

  it('has the environment of the caller, without the token, unless --no-env', () => {
    const env = { WC_TEST_COLOUR: 'blue' };
    const line = 'echo "$WC_TEST_COLOUR/${WC_TOKEN-none}"';
    expect(run(['run-shell', line], { env }).out).toBe('blue/none\n');
    expect(run(['run-shell', '--no-env', line], { env }).out).toBe('/none\n');
  });

  it('by a token it gets no environment, and its input as text that is whole', () => {
    const created = place.wc(['token', 'create', 'ci', '--json', ...['runtime:read', 'project:read', 'project:write', 'job:run'].flatMap((scope) => ['--scope', scope])]);
    const env = { WC_TOKEN: (JSON.parse(created.out) as { token: string }).token, WC_TEST_COLOUR: 'blue', PROJECT: 'agent:local:repo' };
    const line = (input: string): string => `${input} | "$WC" run-shell --project "$PROJECT" 'cat; echo "\${WC_TEST_COLOUR-none}"'`;
    expect(place.shell(line('(echo a; sleep 0.3; echo b)'), { env })).toEqual({ code: 0, out: 'a\nb\nnone\n', err: '' });
    const refused = place.shell(line("printf '\\377'"), { env });
    expect([refused.code, refused.out, refused.err]).toEqual([125, '', 'wc: Standard input is no text, and a token can send nothing else. Write it to a file of the project and let the program read that, or give --no-stdin.\n']);
    expect(place.wc(['run-process', '--json', '--input', JSON.stringify({ project: env.PROJECT, executable: 'true' })], { env }).code).toBe(0);
  });

  it('loses nothing of a large output', () => {
    const { out } = run(['run-shell', 'for i in $(seq 1 60000); do echo "line $i"; done']);
    expect(out).toBe(lines(60_000));
  });
});

describe('standard input that has no end yet', () => {
  /** Starts `wc` with a pipe that the test holds. */
  function open(args: readonly string[]): { readonly child: ChildProcessWithoutNullStreams; readonly ended: Promise<Ended>; readonly out: () => string } {
    const child = spawn(WC, args, { cwd: repository, env: { ...place.env, TMPDIR: place.folder }, stdio: 'pipe' });
    const text = { out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => (text.out += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (text.err += chunk.toString('utf8')));
    // A pipe that is closed at the other end is what some of these tests are about.
    child.stdin.on('error', () => undefined);
    return { child, ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, ...text }))), out: () => text.out };
  }

  it('that stays open and silent holds no program up', async () => {
    const { child, ended } = open(['run-shell', 'echo started; exit 3']);
    expect(await ended).toEqual({ code: 3, out: 'started\n', err: '' });
    expect(child.stdin.writableEnded).toBe(false);
  });

  it('arrives as it comes, and its end too', async () => {
    const { child, ended, out } = open(['run-shell', 'while read -r line; do echo "got $line"; done; echo end']);
    child.stdin.write('one\n');
    await expect.poll(out, { timeout: 20_000 }).toBe('got one\n');
    child.stdin.write('two\n');
    await expect.poll(out, { timeout: 20_000 }).toBe('got one\ngot two\n');
    child.stdin.end();
    expect(await ended).toEqual({ code: 0, out: 'got one\ngot two\nend\n', err: '' });
  });

  it('arrives at work that goes on as a Job', async () => {
    const { child, ended, out } = open(['run-shell', '--sync-wait-secs', '1', 'echo ready; sleep 1.5; echo late; cat']);
    await expect.poll(out, { timeout: 20_000 }).toBe('ready\nlate\n');
    child.stdin.end('more\n');
    expect(await ended).toEqual({ code: 0, out: 'ready\nlate\nmore\n', err: '' });
  });

  it('of more than 64 KiB ends the program, with exit code 125', async () => {
    const { child, ended, out } = open(['run-shell', 'echo ready; sleep 60']);
    await expect.poll(out, { timeout: 20_000 }).toBe('ready\n');
    child.stdin.write('x'.repeat(65_537));
    const { code, err } = await ended;
    expect(code).toBe(125);
    expect(err).toContain('more than 64 KiB, and the program was ended');
  });

  it('leaves nothing behind', () => {
    expect(readdirSync(place.folder).filter((name) => name.startsWith('wc-stdin-'))).toEqual([]);
  });
});

describe('a script', () => {
  const file = (name: string, text: string): string => {
    writeFileSync(join(repository, name), text);
    return name;
  };

  it('runs in the language of its name or of its first line, with literal arguments', () => {
    expect(run(['run-script', file('a.py', 'import sys; print(sys.argv[1:])'), '--', '--json', 'a b'])).toEqual({ code: 0, out: "['--json', 'a b']\n", err: '' });
    expect(run(['run-script', file('a.mjs', 'console.log(process.argv.slice(2).length)')]).out).toBe('0\n');
    expect(run(['run-script', file('tool', '#!/usr/bin/env bash\n[[ 1 ]] && exit 5')]).code).toBe(5);
    expect(run(['run-script', file('named', 'echo "$0 is sh"'), '--language', 'sh']).code).toBe(0);
  });

  it('comes from standard input too, and gets what is piped in otherwise', () => {
    expect(run(['run-script', '--language', 'sh', '-'], { input: 'echo "read: $(cat)"' })).toEqual({ code: 0, out: 'read: \n', err: '' });
    expect(run(['run-script', '-', '--', 'x'], { input: '#!/bin/sh\necho "$1"' }).out).toBe('x\n');
    expect(run(['run-script', file('in.py', 'import sys; print(sys.stdin.read())')], { input: 'hä' }).out).toBe('hä\n');
    expect(run(['run-script', '--language', 'sh', '--script', 'echo given']).out).toBe('given\n');
  });

  it('is left where it is, and nothing of it stays', () => {
    const script = file('stays.sh', 'echo "$0"');
    const path = run(['run-script', script]).out.trim();
    expect(existsSync(path)).toBe(false);
    expect(existsSync(join(repository, script))).toBe(true);
  });

  it('a mistake is exit code 2, an interpreter that is missing 125', () => {
    expect(run(['run-script', file('unknown', 'x')])).toEqual({ code: 2, out: '', err: 'wc: Neither the name of unknown nor its first line says its language. Say it with --language.\n' });
    expect(run(['run-script', 'no-such-file.py'])).toMatchObject({ code: 2, err: 'wc: no-such-file.py can not be read (ENOENT).\n' });
    expect(run(['run-script', file('empty.sh', '')])).toMatchObject({ code: 2, err: 'wc: empty.sh is empty.\n' });
    expect(run(['run-script', file('a.py', 'x'), '--script', 'y', '--language', 'sh']).code).toBe(2);
    expect(run(['run-script'])).toMatchObject({ code: 2, out: '' });
    const missing = place.shell(`PATH="$NOWHERE" "$WC" run-script a.py`, { cwd: repository, env: { NOWHERE: nodeAlone() } });
    expect(missing.code).toBe(125);
    expect(missing.err).toContain('(interpreter_unavailable)');
  });

  /** A PATH that holds what `wc` itself needs, and no Python. */
  function nodeAlone(): string {
    const folder = join(place.folder, 'node-alone');
    mkdirSync(folder, { recursive: true });
    for (const program of ['node', 'sh', 'readlink', 'dirname', 'mkfifo']) {
      const found = spawnSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim();
      if (found !== '' && !existsSync(join(folder, program))) symlinkSync(found, join(folder, program));
    }
    return folder;
  }
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

  it('is said to be lost with its Runner', async () => {
    const following = place.start(['run-shell', '--sync-wait-secs', '1', 'echo begun; exec sleep 47'], { cwd: repository });
    await expect.poll(() => run(['job', 'list']).out, { timeout: 20_000 }).toContain('sleep 47');
    const { runner } = JSON.parse(place.wc(['daemon', 'status', '--json']).out) as { readonly runner: { readonly pid: number } };
    process.kill(runner.pid, 'SIGKILL');
    expect(await following).toEqual({
      code: 125,
      out: 'begun\n',
      err: 'wc: the program was lost with its Runner, and how it ended is not known: look at what it did before you repeat it.\n',
    });
  });
});

describe('kill -9 of the daemon before the hand-off', () => {
  it('ends with 125, and says where the program goes on', async () => {
    const mark = join(place.folder, 'begun');
    const running = place.start(['run-shell', 'echo > "$MARK"; sleep 2; echo whole'], { cwd: repository, env: { MARK: mark } });
    await expect.poll(() => existsSync(mark), { timeout: 20_000 }).toBe(true);
    process.kill(place.status().pid!, 'SIGKILL');
    const { code, out, err } = await running;
    expect([code, out]).toEqual([125, '']);
    expect(err).toBe("wc: The daemon ended before it answered. If the program was started, it goes on as a Job: 'wc job list' shows it.\n");
    const [job = ''] = /^wc_job_\w+(?=.*echo whole)/m.exec(run(['job', 'list']).out) ?? [];
    expect(run(['job', 'wait', job]).code).toBe(0);
    expect(run(['job', 'logs', job, '--full']).out).toBe('whole\n');
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

  // A device that takes nothing is Linux's.
  it.runIf(existsSync('/dev/full'))('so does an output that can not be written, which is said in one line', () => {
    const full = (line: string): Ended => place.shell(line, { cwd: repository });
    const lost = 'wc: Standard output can not be written (ENOSPC).\n';
    expect(full('"$WC" run-shell "seq 1 100000; sleep 53" >/dev/full')).toEqual({ code: 125, out: '', err: lost });
    expect(full('"$WC" run-process --json -- true >/dev/full')).toEqual({ code: 125, out: '', err: lost });
    expect(full(`"$WC" run-process --json --input '{"project":"agent:local:repo","executable":"true"}' >/dev/full`)).toEqual({ code: 125, out: '', err: lost });
    expect(full('"$WC" job list >/dev/full')).toEqual({ code: 1, out: '', err: lost });
    expect(full('"$WC" run-shell "echo lost >&2; sleep 53" 2>/dev/full').code).toBe(125);
    expect(full('("$WC" run-shell "echo one >&2; sleep 0.3; echo two >&2; sleep 53"; echo $? >code) 2>&1 >/dev/null | head -n 1; cat code; rm code').out).toBe('one\n141\n');
    expect(run(['job', 'list', '--status', 'running']).out).toBe('There are no Jobs.\n');
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

  it('are shown one at a time', () => {
    const job = start('echo a; echo b >&2; exit 4');
    run(['job', 'wait', job]);
    const { code, out } = run(['job', 'show', job]);
    expect(code).toBe(0);
    expect(out).toMatch(/^state +failed \(exit 4\)$/m);
    expect(out).toMatch(/^command +echo a; echo b >&2; exit 4$/m);
    expect(out).toMatch(/^started by +run_job$/m);
    expect(out).toMatch(/^stdout +1 line, 2 B$/m);
    expect(out.trimEnd().split('\n').at(-1)).toBe(`wc job logs ${job} --full`);
    const json = JSON.parse(run(['job', 'show', job, '--json']).out) as ToolResult;
    expect(json).toMatchObject({ success: true, output: { job_id: job, status: 'failed', exit_code: 4 } });
  });

  it('end with the exit code of their program', () => {
    expect(run(['job', 'wait', start('exit 9')]).code).toBe(9);
    expect(run(['job', 'logs', '--follow', start('echo a; sleep 0.3; echo b')])).toEqual({ code: 0, out: 'a\nb\n', err: '' });
  });

  it('go on when who follows them is interrupted, who has not seen their end', async () => {
    const job = start('echo ready; sleep 60');
    const follower = spawn(WC, ['job', 'logs', '--follow', job], { cwd: repository, env: place.env, stdio: ['ignore', 'pipe', 'ignore'] });
    follower.stdout.once('data', () => follower.kill('SIGINT'));
    expect(await new Promise((resolve) => follower.on('close', resolve))).toBe(130);
    expect(run(['job', 'stop', job]).code).toBe(0);
  });

  it('that nobody knows are said to be unknown', () => {
    expect(run(['job', 'wait', 'wc_job_none'])).toMatchObject({ code: 125, out: '' });
    expect(run(['job', 'logs', 'wc_job_none'])).toMatchObject({ code: 1, err: expect.stringContaining('(unknown_job)') as string });
    expect(run(['job', 'show', 'wc_job_none'])).toMatchObject({ code: 1, out: '', err: expect.stringContaining('(unknown_job)') as string });
    expect(run(['job', 'stop', 'wc_job_none'])).toMatchObject({ code: 1, err: expect.stringContaining('(unknown_job)') as string });
  });
});
