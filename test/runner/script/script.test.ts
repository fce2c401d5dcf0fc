import { chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScriptLanguage } from '../../../src/protocol/execution-state.js';
import { readOutputMethod, startExecutionMethod, type ExecutionReport } from '../../../src/protocol/runner/execution.js';
import { stopJobMethod } from '../../../src/protocol/runner/jobs.js';
import { isRefusal } from '../../../src/runner/request.js';
import { withoutScriptPath } from '../../../src/runner/script/script-file.js';
import { executionHouse, observe, observed, refused, until, type Call, type ExecutionHouse, type StartParams } from '../jobs/execution-house.js';

let house: ExecutionHouse;
beforeAll(async () => {
  house = await executionHouse();
});
afterAll(() => house.close());

const program = (language: ScriptLanguage, script: string, args: readonly string[] = []) => ({ kind: 'script' as const, language, script, args: [...args] });

async function run(language: ScriptLanguage, script: string, params: Partial<StartParams> & { args?: readonly string[] } = {}, call?: Call): Promise<ExecutionReport> {
  const { args, ...rest } = params;
  const started = await house.start({ program: program(language, script, args), source: 'run_script', ...rest }, call);
  if (isRefusal(started) || started.outcome !== 'finished') throw new Error(`no end: ${JSON.stringify(started)}`);
  return started.report;
}

/** The scripts that lie in the Runner's private folders at this moment. */
async function scriptFiles(): Promise<string[]> {
  const lives = await readdir(house.spool);
  const files = await Promise.all(lives.map(async (life) => (await readdir(join(house.spool, life, 'scripts')).catch(() => [])).map((name) => join(house.spool, life, 'scripts', name))));
  return files.flat();
}
const noScriptIsLeft = async (): Promise<true> => until('every script was removed', async () => (await scriptFiles()).length === 0 || null);

/** A folder with programs by other names, as a PATH of its own. */
async function pathWith(programs: Readonly<Record<string, string>>): Promise<string> {
  const folder = house.project.path(`bin-${Math.random().toString(36).slice(2)}`);
  await mkdir(folder);
  for (const [name, text] of Object.entries(programs)) {
    if (text.startsWith('/')) await symlink(text, join(folder, name));
    else await writeFile(join(folder, name), text).then(() => chmod(join(folder, name), 0o755));
  }
  return folder;
}

describe('the languages', () => {
  it.each([
    ['sh', 'printf "%s|" "$@"; cat', 'a b|$(x)|in'],
    ['bash', 'printf "%s|" "${@}"; [[ -n $BASH ]] && cat', 'a b|$(x)|in'],
    ['python', 'import sys\nprint("|".join(sys.argv[1:] + [sys.stdin.read()]), end="")', 'a b|$(x)|in'],
    ['javascript', 'import { readFileSync } from "node:fs";\nprocess.stdout.write([...process.argv.slice(2), readFileSync(0, "utf8")].join("|"));', 'a b|$(x)|in'],
  ] as const)('%s runs with literal arguments and standard input', async (language, script, out) => {
    expect(await run(language, script, { args: ['a b', '$(x)'], stdin: 'in' })).toMatchObject({
      execution_state: 'completed',
      exit_code: 0,
      shell: null,
      stdout: { text: out },
      stderr: { text: '' },
    });
  });

  it('starts in the named folder, and the file lies outside the project', async () => {
    await mkdir(house.project.path('sub'), { recursive: true });
    const { stdout } = await run('python', 'import os\nprint(os.getcwd())\nprint(os.path.dirname(__file__))', { cwd: 'sub' });
    const [cwd, folder] = stdout.text.split('\n');
    expect(cwd).toBe(house.project.path('sub'));
    expect(folder).not.toContain(house.project.root.path);
  });

  it('exit codes and signals are the script\'s own', async () => {
    expect(await run('sh', 'exit 7')).toMatchObject({ exit_code: 7, failure_kind: 'command_exit_nonzero', tool_failure: false });
    expect(await run('python', 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)')).toMatchObject({ exit_code: -1, signal: 'SIGKILL' });
  });

  it('takes 524,288 bytes, blank lines and text without an end of line', async () => {
    const script = `echo whole\n${'#'.repeat(524_288 - 'echo whole\n'.length)}`;
    expect((await run('sh', script)).stdout.text).toBe('whole\n');
    expect(await run('sh', '\n')).toMatchObject({ exit_code: 0 });
  });

  it.each([
    ['an empty script', { script: '' }],
    ['524,289 bytes', { script: 'é'.repeat(262_144) + 'x' }],
    ['257 arguments', { args: Array.from({ length: 257 }, () => 'x') }],
    ['arguments of 16,001 bytes', { args: ['x'.repeat(8_000), 'x'.repeat(7_999)] }],
    ['a NUL in an argument', { args: ['\0'] }],
    ['a language of another world', { language: 'perl' }],
  ])('the wire refuses %s', (_name, changed) => {
    const params = startExecutionMethod.params.shape.program.safeParse({ ...program('sh', 'true'), ...changed });
    expect(params.success).toBe(false);
  });
});

describe('the file', () => {
  it('is private while the script runs, and gone when it has ended', async () => {
    const { stdout } = await run('sh', 'ls -l "$0" | cut -c 1-10; ls -ld "$(dirname "$0")" | cut -c 1-10');
    expect(stdout.text).toBe('-rw-------\ndrwx------\n');
    await noScriptIsLeft();
  });

  it('is removed after a failure, a time-out and a cancel', async () => {
    await run('sh', 'exit 3');
    expect(await run('sh', 'sleep 60', { timeout_ms: 200 })).toMatchObject({ execution_state: 'timed_out' });
    const cancel = new AbortController();
    const ending = run('sh', 'echo ready; sleep 60', { stream_output: true }, {
      signal: cancel.signal,
      onNote: () => {
        cancel.abort();
        return true;
      },
    });
    expect(await ending).toMatchObject({ execution_state: 'cancelled' });
    await noScriptIsLeft();
  });

  it('is removed when the interpreter could not be started', async () => {
    const path = await pathWith({ python3: '#!/no/such/interpreter\n' });
    const answer = await house.start({ program: program('python', 'print(1)'), environment: { PATH: path } });
    expect(refused(answer)).toMatchObject({ error_kind: 'spawn_failed', detail: { execution_state: 'not_started' } });
    await noScriptIsLeft();
  });

  it('stays as long as a script that was handed off runs', async () => {
    const script = 'echo on; sleep 0.5; ls "$0" >/dev/null && echo still there';
    const started = await house.start({ program: program('sh', script, ['a', 'b']), hand_off_after_ms: 100 });
    if (isRefusal(started) || started.outcome !== 'handed_off') throw new Error('not handed off');
    expect(started.job).toMatchObject({ script_language: 'sh', script_bytes: script.length, arg_count: 2 });
    expect(JSON.stringify(started.job)).not.toContain('still there');
    const job = await house.ended(started.job.job_id);
    expect(job).toMatchObject({ status: 'completed', stdout: { lines: 2 } });
    await noScriptIsLeft();
  });

  it('that can not be written: script_setup_failed, and nothing starts', async () => {
    const other = await executionHouse();
    try {
      const [life = ''] = (await readdir(other.spool)).filter((name) => !name.endsWith('.new'));
      await writeFile(join(other.spool, life, 'scripts'), 'in the way');
      const answer = await other.start({ program: program('sh', 'echo started > started') });
      expect(refused(answer)).toMatchObject({
        error_kind: 'script_setup_failed',
        detail: { execution_state: 'not_started', command_started: false, failure_kind: 'script_setup_failed' },
      });
      await expect(stat(other.project.path('started'))).rejects.toThrow();
    } finally {
      await other.close();
    }
  });
});

describe('the name of the file', () => {
  it.each([
    ['sh', 'nonsense-that-is-no-command'],
    ['python', 'raise ValueError("x")'],
    ['javascript', 'throw new Error("x");'],
  ] as const)('is <temporary-script> in what is shown of an error of %s', async (language, script) => {
    const { stderr } = await run(language, script);
    expect(stderr.text).toContain('<temporary-script>');
    expect(stderr.text).not.toContain(house.spool);
  });

  it('is shown nowhere, whether one observes or reads; the very bytes can be had', async () => {
    const started = await house.start({ program: program('sh', 'echo "I am $0"; sleep 60'), mode: 'job' });
    if (isRefusal(started) || started.outcome !== 'handed_off') throw new Error('no Job');
    const { job_id } = started.job;
    const seen = await until('its first line', async () => {
      const { stdout } = observed(await observe(house, job_id, { after: null }));
      return stdout.text === '' ? null : stdout.text;
    });
    expect(seen).toBe('I am <temporary-script>\n');
    const read = await house.ask(readOutputMethod, { of: { job_id }, stream: 'stdout', start_line: 1, skip_bytes: 0, limit: 10, max_bytes: 65_536 });
    if (isRefusal(read)) throw new Error(read.refused.message);
    expect(read.text).toBe('I am <temporary-script>\n');
    expect(Buffer.from(read.base64 ?? '', 'base64').toString()).toBe(`I am ${(await scriptFiles())[0] ?? 'nothing'}\n`);
    await house.ask(stopJobMethod, { job_id });
    await noScriptIsLeft();
  });

  it('is recognised as a part of a URL too', () => {
    expect(withoutScriptPath('at file:///a%20b/s.mjs:1:7 and /a b/s.mjs', '/a b/s.mjs')).toBe('at file://<temporary-script>:1:7 and <temporary-script>');
  });
});

describe('an interpreter that is not there', () => {
  it.each([
    ['python', 'python3'],
    ['javascript', 'node'],
    ['typescript', 'node'],
  ] as const)('%s: interpreter_unavailable, with the PATH that was searched', async (language, wanted) => {
    const path = await pathWith({});
    const { error_kind, message, detail } = refused(await house.start({ program: program(language, 'x'), environment: { PATH: path } }));
    expect(error_kind).toBe('interpreter_unavailable');
    expect(message).toContain(wanted);
    expect(detail).toMatchObject({ execution_state: 'not_started', command_started: false, failure_kind: 'interpreter_unavailable', searched_path: path });
    expect(await scriptFiles()).toEqual([]);
  });

  it('is never one of the project, by a PATH that is relative', async () => {
    const path = await pathWith({ python3: '#!/bin/sh\necho fooled\n' });
    const relative = path.slice(house.project.root.path.length + 1);
    const answer = await house.start({ program: program('python', 'print(1)'), environment: { PATH: `${relative}:` } });
    expect(refused(answer).error_kind).toBe('interpreter_unavailable');
  });

  it('python alone is python too', async () => {
    const path = await pathWith({ python: '#!/bin/sh\necho "python alone: $1"\n' });
    expect((await run('python', 'x', { environment: { PATH: path } })).stdout.text).toBe('python alone: <temporary-script>\n');
  });
});

describe('typescript', () => {
  const says = (version: string): string => `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else echo "$@"; fi\n`;

  it.each(['v20.19.0', 'v22.5.1', 'v18.0.0', 'nonsense'])('on Node %s is refused and not started', async (version) => {
    const path = await pathWith({ node: says(version) });
    const { error_kind, message, detail } = refused(await house.start({ program: program('typescript', 'const a: number = 1'), environment: { PATH: path } }));
    expect(error_kind).toBe('interpreter_unavailable');
    expect(message).toContain('22.6');
    expect(detail).toMatchObject({ execution_state: 'not_started', failure_kind: 'interpreter_unavailable' });
  });

  it.each(['v22.6.0', 'v22.18.0', 'v24.1.0'])('on Node %s is started as an .mts whose types are taken off', async (version) => {
    const path = await pathWith({ node: says(version) });
    const { stdout } = await run('typescript', 'const a: number = 1', { environment: { PATH: path }, args: ['x y'] });
    expect(stdout.text).toBe('--experimental-strip-types --disable-warning=ExperimentalWarning <temporary-script> x y\n');
  });
});
