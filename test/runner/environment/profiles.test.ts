import { readFile, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { describeEnvironmentMethod } from '../../../src/protocol/runner/execution.js';
import { configureMethod } from '../../../src/protocol/runner/settings.js';
import { executionHouse, isRunning, refused, until, type ExecutionHouse } from '../jobs/execution-house.js';

let house: ExecutionHouse;
beforeEach(async () => {
  house = await executionHouse();
});
afterEach(() => house.close());

const PROJECT = 'agent:local:test';
type Settings = z.input<typeof configureMethod.params>;

const configure = (settings: Settings): Promise<unknown> => house.ask(configureMethod, settings);
const profile = (made: NonNullable<Settings['profiles']>[string]): Settings => ({ profiles: { it: made }, default_profile: 'it' });
/** What a command sees of some variables. */
async function seen(names: string, params = {}): Promise<string> {
  const report = await house.shell(names.split(' ').map((name) => `echo "${name}=$${name}"`).join('; '), params);
  return report.stdout.text;
}

describe('the settings in force', () => {
  it('put folders in front of the PATH, and variables into every command', async () => {
    await configure({ path_prepend: ['/opt/first', '/opt/second'], shell: { env: { GREETING: 'hello' } } });
    expect(await seen('PATH GREETING')).toBe(`PATH=/opt/first:/opt/second:${process.env['PATH'] ?? ''}\nGREETING=hello\n`);
  });

  it('are layered: every command, the profile, the caller; nobody passes a token or an editor that asks', async () => {
    await configure({
      shell: { env: { ONE: 'shell', TWO: 'shell', THREE: 'shell' } },
      ...profile({ env: { TWO: 'profile', THREE: 'profile', WC_TOKEN: 'secret', AUTHORIZATION: 'secret', EDITOR: 'vi', GIT_ASKPASS: '/ask' } }),
    });
    const params = { environment: { THREE: 'caller' } };
    expect(await seen('ONE TWO THREE WC_TOKEN AUTHORIZATION EDITOR GIT_ASKPASS GIT_TERMINAL_PROMPT', params)).toBe(
      'ONE=shell\nTWO=profile\nTHREE=caller\nWC_TOKEN=\nAUTHORIZATION=\nEDITOR=/bin/false\nGIT_ASKPASS=\nGIT_TERMINAL_PROMPT=0\n',
    );
  });

  it('an isolated profile starts from who the user is, and takes no caller in', async () => {
    process.env['WC_TEST_INHERITED'] = 'inherited';
    const other = await executionHouse();
    delete process.env['WC_TEST_INHERITED'];
    try {
      await other.ask(configureMethod, profile({ environment_mode: 'isolated', env: { MINE: 'profile' } }));
      const { stdout } = await other.shell('echo "$PATH|$HOME|$WC_TEST_INHERITED|$FROM_CALLER|$MINE"', { environment: { FROM_CALLER: 'caller', PATH: '/caller' } });
      expect(stdout.text).toBe(`/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin|${process.env['HOME'] ?? ''}|||profile\n`);
    } finally {
      await other.close();
    }
  });

  it("the project's own profile wins over the default one; other projects keep that", async () => {
    await configure({
      profiles: { mine: { env: { WHOSE: 'mine' } }, all: { env: { WHOSE: 'all' } } },
      default_profile: 'all',
      project_profiles: { [PROJECT]: 'mine' },
    });
    expect(await seen('WHOSE')).toBe('WHOSE=mine\n');
    expect(await seen('WHOSE', { project: 'agent:local:other' })).toBe('WHOSE=all\n');
  });

  it('a profile that is missing starts nothing', async () => {
    await configure({ project_profiles: { [PROJECT]: 'gone' } });
    const refusal = refused(await house.start({ program: { kind: 'shell', command: 'touch made', shell: 'sh' } }));
    expect(refusal).toMatchObject({
      error_kind: 'capability_unavailable',
      detail: { execution_state: 'not_started', command_started: false, failure_kind: 'capability_unavailable', reason_code: 'profile_missing', profile: 'gone' },
    });
    await expect(house.project.read('made')).rejects.toThrow();
  });

  it('other settings are another generation; the same ones are none; what runs keeps its own', async () => {
    expect(await configure({ shell: { env: { A: '1' } } })).toEqual({ generation: 1 });
    expect(await configure({ shell: { env: { A: '1' } } })).toEqual({ generation: 1 });
    const job = await house.job('touch running; while [ ! -e go ]; do sleep 0.02; done; echo $A');
    await until('it runs', () => house.project.read('running').then(() => true, () => null));
    expect(await configure({ shell: { env: { A: '2' } } })).toEqual({ generation: 2 });
    expect(await seen('A')).toBe('A=2\n');
    await house.project.write('go', '');
    expect((await house.ended(job.job_id)).status).toBe('completed');
  });

  it('show names and never a value', async () => {
    await configure({
      path_prepend: ['/opt/tools'],
      shell: { env: { SECRET_ONE: 'value-one' } },
      profiles: { node: { env: { SECRET_TWO: 'value-two' }, init_script: 'export SECRET_THREE=value-three' } },
      project_profiles: { [PROJECT]: 'node' },
    });
    const told = await house.ask(describeEnvironmentMethod, {});
    expect(told).toMatchObject({
      generation: 1,
      path_prepend: ['/opt/tools'],
      shell_env: ['SECRET_ONE'],
      profiles: [{ name: 'node', environment_mode: 'inherit', env: ['SECRET_TWO'], has_init_script: true, projects: [PROJECT] }],
      default_profile: null,
    });
    expect(JSON.stringify(told)).not.toMatch(/value-/);
  });
});

describe('an init script', () => {
  it("runs once at the project's root; commands get what it exported, and nothing of what it printed", async () => {
    await house.project.write('sub/file', '');
    await configure(
      profile({
        env: { START: 'profile' },
        init_script: 'echo noise; echo "$PWD $START" >>inits; export TOOLS="two\nlines" PATH="/opt/init:$PATH"; unset START; lost=1',
      }),
    );
    const [one, two] = await Promise.all([
      house.shell('echo "$TOOLS|$START|$lost"; echo "${PATH%%:*}"'),
      house.shell('echo "$TOOLS"; pwd', { cwd: 'sub' }),
    ]);
    expect(one.stdout.text).toBe('two\nlines||\n/opt/init\n');
    expect(two.stdout.text).toBe(`two\nlines\n${house.project.path('sub')}\n`);
    await house.shell('true');
    expect(await house.project.read('inits')).toBe(`${house.project.folder} profile\n`);
  });

  it('runs once for each project and each generation', async () => {
    const settings = profile({ init_script: `echo ran >>${house.project.path('inits')}` });
    await configure(settings);
    await house.shell('true');
    await house.shell('true', { project: 'agent:local:other' });
    await configure({ ...settings, path_prepend: ['/opt/more'] });
    await house.shell('true');
    expect(await house.project.read('inits')).toBe('ran\nran\nran\n');
  });

  it('that fails starts nothing, says how it failed and nothing that it printed; the next start tries it again', async () => {
    await configure(profile({ init_script: 'echo secret >&2; [ -e fixed ]; export OK=1' }));
    const refusal = refused(await house.start({ program: { kind: 'shell', command: 'touch made', shell: 'sh' } }));
    expect(refusal).toEqual({
      error_kind: 'not_started',
      message: 'The init script of the profile "it" failed with exit code 1; run it by hand at the project\'s root to see why.',
      detail: {
        execution_state: 'not_started',
        command_started: false,
        state_changed: false,
        failure_kind: 'script_setup_failed',
        reason_code: 'profile_init_failed',
        profile: 'it',
      },
    });
    await expect(house.project.read('made')).rejects.toThrow();
    await house.project.write('fixed', '');
    expect(await seen('OK')).toBe('OK=1\n');
  });

  it.each([
    ['exit 0', 'ended before its environment could be read'],
    ['exec true', 'ended before its environment could be read'],
    ['kill -9 $$', 'was ended by SIGKILL'],
    ['syntax (', 'failed with exit code 2'],
  ])('%s: is told as what it is', async (script, reason) => {
    await configure(profile({ init_script: script }));
    expect(refused(await house.start({ program: { kind: 'shell', command: 'true', shell: 'sh' } })).message).toContain(reason);
  });

  it('never waits for input, and what it leaves in the background delays and holds nothing', async () => {
    await configure(profile({ init_script: 'cat; sleep 60 & echo $! >left; export FROM_INIT=1' }));
    expect(await seen('FROM_INIT')).toBe('FROM_INIT=1\n');
    const left = Number(await readFile(house.project.path('left'), 'utf8'));
    await until('what it left was ended', async () => !(await isRunning(left)) || null);
  });

  it('that is under way when the Runner shuts down ends with it', async () => {
    await configure(profile({ init_script: 'echo $$ >pid; sleep 60' }));
    const start = house.start({ program: { kind: 'shell', command: 'touch made', shell: 'sh' } });
    const pid = await until('it runs', async () => Number(await house.project.read('pid').catch(() => '')) || null);
    await house.execution.shutdown();
    expect(refused(await start).detail['execution_state']).toBe('not_started');
    await until('it was ended', async () => !(await isRunning(pid)) || null);
    await rm(house.project.path('pid'));
  });
});
