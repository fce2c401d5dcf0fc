import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRunnerLink, type RunnerAnswer, type RunnerLink } from '../../../src/daemon/runner-link/index.js';
import { sayHello } from '../../../src/daemon/runner-link/hello.js';
import { openRunnerConnection } from '../../../src/daemon/runner-link/runner-connection.js';
import { configureMethod } from '../../../src/protocol/runner/settings.js';
import { bundleHarnessRunner, harnessFolder, isAlive, openFiles, until, type HarnessFolder } from './link-harness.js';
import {
  busyMethod,
  countMethod,
  echoMethod,
  failMethod,
  hangMethod,
  hangReadMethod,
  newerMethod,
  refuseMethod,
  wedgeMethod,
} from './harness-methods.js';

const bundleFolder = mkdtempSync(join(tmpdir(), 'wc-link-bundle-'));
const mainPath = join(bundleFolder, 'harness.mjs');
let folder: HarnessFolder;
const links: RunnerLink[] = [];

beforeAll(() => bundleHarnessRunner(mainPath));
afterAll(() => rmSync(bundleFolder, { recursive: true, force: true }));
beforeEach(() => {
  folder = harnessFolder(mainPath);
});
afterEach(async () => {
  await Promise.all(links.splice(0).map((link) => link.stop('leave')));
  folder.dispose();
});

function startLink(...options: Parameters<HarnessFolder['link']>): ReturnType<HarnessFolder['link']> {
  const link = folder.link(...options);
  links.push(link);
  link.start();
  return link;
}

function answerIn<Result>(answer: RunnerAnswer<Result>): Result {
  if ('failure' in answer) throw new Error(answer.failure.error);
  return answer.answer;
}

function kindIn(answer: RunnerAnswer<unknown>): unknown {
  return 'failure' in answer ? answer.failure.output['error_kind'] : null;
}

async function pidOf(link: RunnerLink): Promise<number> {
  await link.call(echoMethod, { text: '' });
  return link.state?.pid ?? 0;
}

/** A call that is known to have begun in the Runner. */
async function hanging(link: RunnerLink, method = hangMethod, signal?: AbortSignal): Promise<Promise<RunnerAnswer<unknown>>[]> {
  let begun = false;
  const call = link.call(method, {}, { onNote: () => void (begun = true), ...(signal && { signal }) });
  await until(() => begun, 'the request began');
  return [call];
}

describe('reaching the Runner', () => {
  test('the first call waits for the Runner that start() began to start', async () => {
    const link = startLink();
    expect(link.state).toBeNull();
    expect(answerIn(await link.call(echoMethod, { text: 'hello' }))).toEqual({ text: 'hello', served: 1 });
    expect(link.state).toMatchObject({ version: '1.0.0', capabilities: ['harness'] });
  });

  test('its socket is private to the user', async () => {
    await pidOf(startLink());
    expect(statSync(folder.socketPath).mode & 0o777).toBe(0o600);
  });

  // Elsewhere the system closes them in the spawn itself, and there is no /proc to look at.
  test.runIf(process.platform === 'linux')('it has a session of its own and inherits no descriptor of whoever started the daemon', async () => {
    const script = join(bundleFolder, 'spawn.mjs');
    const lock = join(folder.path, 'lock');
    execFileSync(process.execPath, ['--input-type=module', '-e', `
      import { build } from 'esbuild';
      await build({ entryPoints: ['src/daemon/runner-link/spawn-runner.ts'], outfile: ${JSON.stringify(script)}, bundle: true, platform: 'node', format: 'esm' });
    `]);
    const launch = { execPath: '/bin/sleep', args: ['30'], env: {}, cwd: '/', logPath: join(folder.path, 'log') };
    const pid = Number(
      execFileSync('bash', ['-c', `exec 9>"$1" 20>"$1" 200>"$1"; exec "$2" --input-type=module -e "
        import { spawnRunner } from '$3';
        console.log(spawnRunner(JSON.parse(process.argv[1])).pid);
      " "$4"`, 'bash', lock, process.execPath, script, JSON.stringify(launch)], { encoding: 'utf8' }),
    );
    try {
      const open = openFiles(pid);
      expect(open.filter((target) => target === lock)).toEqual([]);
      expect(new Set(open)).toEqual(new Set(['/dev/null', launch.logPath]));
      expect(execFileSync('ps', ['-o', 'sid=', '-p', String(pid)], { encoding: 'utf8' }).trim()).toBe(String(pid));
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  test('a call says why when the Runner can not be started', async () => {
    const link = startLink({ mainPath: join(folder.path, 'missing.mjs'), bounds: { callWaitsMs: 500 } });
    const answer = await link.call(echoMethod, { text: '' });
    expect(answer).toMatchObject({ failure: { output: { error_kind: 'runner_unavailable', state_changed: false } } });
    expect('failure' in answer && answer.failure.error).toMatch(/it ended with code 1 while it started; .*runner\.log may say why/);
  });

  test('a stale socket is replaced', async () => {
    const first = startLink();
    const pid = await pidOf(first);
    process.kill(pid, 'SIGKILL');
    await until(() => first.state === null || first.state.pid !== pid, 'the death was seen');
    expect(answerIn(await first.call(echoMethod, { text: 'again' }))).toEqual({ text: 'again', served: 1 });
  });

  test('a Runner of another state folder is not used', async () => {
    await pidOf(startLink());
    const other = harnessFolder(mainPath);
    try {
      const link = createRunnerLink({
        socketPath: folder.socketPath,
        daemon: { version: '1.0.0', stateFolder: other.path },
        launch: { execPath: process.execPath, args: [mainPath], env: {}, cwd: '/', logPath: join(other.path, 'log') },
        log: () => undefined,
        bounds: { callWaitsMs: 300 },
      });
      links.push(link);
      link.start();
      const answer = await link.call(echoMethod, { text: '' });
      expect('failure' in answer && answer.failure.error).toMatch(/keeps another state folder/);
    } finally {
      other.dispose();
    }
  });
});

describe('answers', () => {
  test('a refusal of a known kind passes as it is; an unknown kind becomes internal_error', async () => {
    const link = startLink();
    expect(await link.call(refuseMethod, { kind: 'unknown_job' })).toEqual({
      failure: { success: false, error: 'No.', output: { error_kind: 'unknown_job', recovery_kind: 'fix_input', state_changed: false } },
    });
    expect(await link.call(refuseMethod, { kind: 'kind_of_the_future' })).toMatchObject({
      failure: { output: { error_kind: 'internal_error', runner_error_kind: 'kind_of_the_future' } },
    });
  });

  test('an effectful request that failed inside the Runner has an unknown outcome', async () => {
    const link = startLink();
    for (const how of ['throw', 'malformed'] as const) {
      const answer = await link.call(failMethod, { how });
      expect(answer).toMatchObject({ failure: { output: { error_kind: 'outcome_unknown', state_changed: null } } });
      expect('failure' in answer && answer.failure.error).not.toMatch(/something in here broke/);
    }
  });

  test('a request that this Runner does not know was not served', async () => {
    expect(await startLink().call(newerMethod, { text: '' })).toMatchObject({
      failure: { output: { error_kind: 'capability_unavailable', state_changed: false } },
    });
  });

  test('notes arrive in order and before the answer, however many they are', async () => {
    const link = startLink();
    const numbers: number[] = [];
    expect(answerIn(await link.call(countMethod, { to: 2_000 }, { onNote: ({ number }) => void numbers.push(number) }))).toEqual({ sent: 2_000 });
    expect(numbers).toEqual(Array.from({ length: 2_000 }, (_, index) => index + 1));
  });

  test('a hundred calls at once each get their own answer', async () => {
    const link = startLink();
    const texts = Array.from({ length: 100 }, (_, index) => `call ${index}`);
    const answers = await Promise.all(texts.map((text) => link.call(echoMethod, { text })));
    expect(answers.map((answer) => answerIn(answer).text)).toEqual(texts);
  });
});

describe('cancelling', () => {
  test('an abort asks the Runner, whose answer is still the answer', async () => {
    const cancel = new AbortController();
    const link = startLink();
    const [call] = await hanging(link, hangMethod, cancel.signal);
    cancel.abort();
    expect(answerIn((await call) as RunnerAnswer<unknown>)).toEqual({ cancelled: true });
  });

  test('a call that is cancelled before a Runner is there never reaches one', async () => {
    const cancel = new AbortController();
    const link = startLink({ mainPath: join(folder.path, 'missing.mjs') });
    const call = link.call(echoMethod, { text: '' }, { signal: cancel.signal });
    cancel.abort();
    expect(await call).toMatchObject({ failure: { output: { error_kind: 'cancelled', state_changed: false } } });
  });
});

describe('a Runner that dies', () => {
  test('kill -9 mid-call: an effectful call has an unknown outcome, a read says so, and the next call is served', async () => {
    const link = startLink();
    const pid = await pidOf(link);
    const [effectful] = await hanging(link);
    const [read] = await hanging(link, hangReadMethod);
    process.kill(pid, 'SIGKILL');
    expect(await effectful).toMatchObject({ failure: { output: { error_kind: 'outcome_unknown', recovery_kind: 'reconcile', state_changed: null } } });
    expect(await read).toMatchObject({ failure: { output: { error_kind: 'runner_unavailable', recovery_kind: 'retry_same', state_changed: false } } });
    expect(answerIn(await link.call(echoMethod, { text: 'after' })).text).toBe('after');
    expect(link.state?.pid).not.toBe(pid);
  });

  test('listeners hear of the new instance and of the one that it replaced', async () => {
    const link = startLink();
    const heard: [number, number | null][] = [];
    link.onInstance((now, replaced) => heard.push([now.pid, replaced?.pid ?? null]));
    const first = await pidOf(link);
    process.kill(first, 'SIGKILL');
    await until(() => heard.length === 2, 'the second instance was announced');
    expect(heard).toEqual([[first, null], [link.state?.pid, first]]);
  });

  test('one that dies at every start is retried ever more slowly, and never more often', async () => {
    const crashing = join(folder.path, 'crashing.mjs');
    writeFileSync(crashing, 'process.exit(3);');
    const link = startLink({ mainPath: crashing, bounds: { callWaitsMs: 50 } });
    await until(() => link.events.filter(({ event }) => event === 'runner_unreachable').length >= 4, 'four starts failed');
    const delays = link.events.flatMap((event) => (event.event === 'runner_unreachable' ? [event.retry_in_ms] : []));
    expect(delays.slice(0, 4)).toEqual([0, 100, 200, 400]);
  });
});

describe('a Runner that does not respond', () => {
  test('one that was stopped: its calls are answered for it, and it is used again the moment that it goes on', async () => {
    // A wedged one would get a minute: that this one was stopped is seen.
    const link = startLink({ bounds: { pulseMs: 50, lateMs: 100, helloMs: 60_000 } });
    const pid = await pidOf(link);
    const [call] = await hanging(link);
    process.kill(pid, 'SIGSTOP');
    try {
      expect(await call).toMatchObject({ failure: { output: { error_kind: 'outcome_unknown', state_changed: null } } });
      const meanwhile = await link.call(echoMethod, { text: '' });
      expect('failure' in meanwhile && meanwhile.failure.error).toMatch(/does not respond/);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until(() => link.state !== null, 'the Runner was used again', 1_000);
    expect(answerIn(await link.call(echoMethod, { text: 'back' })).text).toBe('back');
    expect(link.state?.pid).toBe(pid);
  });

  test('one that is wedged: its calls are answered after the bound of a hello', async () => {
    const link = startLink({ bounds: { pulseMs: 50, lateMs: 20, helloMs: 200, shutdownMs: 200 } });
    const [call] = await hanging(link);
    await link.call(wedgeMethod, {});
    expect(await call).toMatchObject({ failure: { output: { error_kind: 'outcome_unknown', state_changed: null } } });
    const meanwhile = await link.call(echoMethod, { text: '' });
    expect('failure' in meanwhile && meanwhile.failure.error).toMatch(/does not respond/);
  });

  test('stopping lets one that was stopped go on, so that it ends in order', async () => {
    const link = startLink();
    const pid = await pidOf(link);
    process.kill(pid, 'SIGSTOP');
    await link.stop('shutdown');
    await until(() => !isAlive(pid), 'the Runner was gone');
    expect(link.events.at(-1)).toEqual({ event: 'runner_ended', pid });
  });

  test('stopping kills one that can not end by itself', async () => {
    const link = startLink({ bounds: { shutdownMs: 200 } });
    const pid = await pidOf(link);
    await link.call(wedgeMethod, {});
    await link.stop('shutdown');
    await until(() => !isAlive(pid), 'the Runner was gone');
    expect(link.events.at(-1)).toEqual({ event: 'runner_killed', pid });
  });
});

describe('taking up', () => {
  test('a Runner outlives its daemon, and the next daemon takes it up', async () => {
    const first = startLink();
    const pid = await pidOf(first);
    await first.stop('leave');
    const second = startLink();
    expect(answerIn(await second.call(echoMethod, { text: 'same' }))).toEqual({ text: 'same', served: 2 });
    expect(second.state?.pid).toBe(pid);
    expect(second.events.map(({ event }) => event)).toEqual(['runner_connected']);
  });

  test('the daemon that came last is served; the other one is hung up on', async () => {
    const first = startLink();
    await pidOf(first);
    const [call] = await hanging(first);
    const second = await openRunnerConnection(folder.socketPath);
    const identity = { version: '1.0.0', stateFolder: folder.path };
    expect(await sayHello(second, identity, 1_000)).toMatchObject({ runner_version: '1.0.0', state_folder: folder.path });
    expect(kindIn((await call) as RunnerAnswer<unknown>)).toBe('outcome_unknown');
    second.end();
  });

  test('whoever has not said whose daemon it is gets nothing done', async () => {
    await pidOf(startLink());
    const stranger = await openRunnerConnection(folder.socketPath);
    const refusal = { kind: 'answered', value: { refused: { error_kind: 'runner_unavailable' } } };
    expect(await stranger.request(echoMethod.name, { text: '' })).toMatchObject(refusal);
    await sayHello(stranger, { version: '1.0.0', stateFolder: '/somewhere/else' }, 1_000);
    expect(await stranger.request(echoMethod.name, { text: '' })).toMatchObject(refusal);
    stranger.end();
  });

  test('a call on a connection that is over goes to the next Runner, since it reached none', async () => {
    const link = startLink();
    const pid = await pidOf(link);
    process.kill(pid, 'SIGKILL');
    // Dead for sure; without a turn of the event loop the daemon can not have noticed.
    while (isAlive(pid));
    expect(answerIn(await link.call(echoMethod, { text: 'unharmed' })).text).toBe('unharmed');
  });

  test('without a daemon and without a Job a Runner ends by itself, and takes its socket away', async () => {
    const link = startLink({ idleEndMs: 100 });
    const pid = await pidOf(link);
    await link.stop('leave');
    await until(() => !isAlive(pid), 'the Runner ended');
    expect(readdirSync(folder.path)).not.toContain('runner.sock');
  });

  test('without a daemon a Runner stays for its Jobs', async () => {
    const link = startLink({ idleEndMs: 100 });
    const pid = await pidOf(link);
    await link.call(busyMethod, { jobs: 1 });
    await link.stop('leave');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isAlive(pid)).toBe(true);
    const next = startLink({ idleEndMs: 100 });
    await next.call(busyMethod, { jobs: 0 });
    await next.stop('shutdown');
    await until(() => !isAlive(pid), 'the Runner ended');
  });

  test('an older Runner serves its Jobs to the end and is then replaced', async () => {
    const old = startLink({ version: '1.0.0' });
    const pid = await pidOf(old);
    await old.call(busyMethod, { jobs: 1 });
    await old.stop('leave');
    const newer = startLink({ version: '1.1.0', bounds: { pulseMs: 30 } });
    expect(answerIn(await newer.call(echoMethod, { text: 'old one' })).text).toBe('old one');
    expect(newer.state).toMatchObject({ pid, version: '1.0.0' });
    await newer.call(busyMethod, { jobs: 0 });
    await until(() => newer.state?.version === '1.1.0', 'the older Runner was replaced');
    await until(() => !isAlive(pid), 'the older Runner ended', 1_000);
    expect(answerIn(await newer.call(echoMethod, { text: 'new one' })).text).toBe('new one');
  });

  test('a call in the background keeps no older Runner', async () => {
    const old = startLink({ version: '1.0.0' });
    const pid = await pidOf(old);
    await old.call(busyMethod, { jobs: 1 });
    await old.stop('leave');
    const newer = startLink({ version: '1.1.0', bounds: { pulseMs: 30 } });
    let begun = false;
    const followed = newer.call(hangReadMethod, {}, { background: true, onNote: () => void (begun = true) });
    await until(() => begun, 'the call in the background began');
    await newer.call(busyMethod, { jobs: 0 });
    await until(() => newer.state?.version === '1.1.0', 'the older Runner was replaced');
    expect(kindIn(await followed)).toBe('runner_unavailable');
    expect(isAlive(pid)).toBe(false);
  });

  test('a Runner that is newer than its daemon because wc was upgraded meanwhile is kept', async () => {
    const link = startLink({ version: '1.0.0', runnerVersion: '1.1.0', bounds: { pulseMs: 20 } });
    const pid = await pidOf(link);
    for (let round = 0; round < 5; round += 1) await link.call(echoMethod, { text: '' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(link.state?.pid).toBe(pid);
  });
});

describe('settings', () => {
  const settings = configureMethod.params.parse({ shell: { env: { A: '1' } } });

  test('a Runner that does not take them serves nothing', async () => {
    const link = startLink({ settings, bounds: { callWaitsMs: 500 } });
    await until(() => link.events.some(({ event }) => event === 'runner_unreachable'), 'the Runner was given up');
    const answer = await link.call(echoMethod, { text: '' });
    expect('failure' in answer && answer.failure).toMatchObject({
      output: { error_kind: 'runner_unavailable', state_changed: false },
      error: expect.stringContaining('it did not take its settings (unsupported)') as string,
    });
    expect(link.state).toBeNull();
  });

  test('one of an older version that does not take them serves its Jobs to the end all the same', async () => {
    const old = startLink({ version: '1.0.0' });
    const pid = await pidOf(old);
    await old.call(busyMethod, { jobs: 1 });
    await old.stop('leave');
    const newer = startLink({ version: '1.1.0', settings });
    expect(answerIn(await newer.call(echoMethod, { text: 'old one' })).text).toBe('old one');
    expect(newer.events.find(({ event }) => event === 'runner_settings_refused')).toMatchObject({ pid });
  });

  test('a newer daemon may know more keys than its Runner', () => {
    expect(configureMethod.params.parse({ ...settings, of_tomorrow: true })).toEqual(settings);
  });
});

describe('stopping', () => {
  test('shutdown ends the Runner; calls that come later say so', async () => {
    const link = startLink();
    const pid = await pidOf(link);
    await link.stop('shutdown');
    await until(() => !isAlive(pid), 'the Runner ended', 1_000);
    expect(link.events.at(-1)).toEqual({ event: 'runner_ended', pid });
    expect(kindIn(await link.call(echoMethod, { text: '' }))).toBe('runner_unavailable');
  });

  test('a link that never started a Runner starts none to end it', async () => {
    const link = folder.link();
    await link.stop('shutdown');
    expect(link.events).toEqual([]);
  });
});
