import { existsSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { releaseConnectionsMethod, SSH_TRANSPORTS } from '../../../src/protocol/runner/ssh.js';
import { runnerSettingsSchema } from '../../../src/protocol/runner/settings.js';
import { stopJobMethod } from '../../../src/protocol/runner/jobs.js';
import type { ExecutionReport } from '../../../src/protocol/runner/execution.js';
import { isRefusal } from '../../../src/runner/request.js';
import { OpenSshConnection } from '../../../src/runner/ssh/openssh-connection.js';
import { OpenSshMaster } from '../../../src/runner/ssh/openssh-master.js';
import { executionHouse, refused, until, type ExecutionHouse, type StartParams } from '../jobs/execution-house.js';
import { processes, signal, startSshServer, type Resource, type SshServer, type Transport } from './ssh-server.js';

let server: SshServer;
let other: SshServer;
let house: ExecutionHouse;
let folder: string;
const usual = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] };
/** Where the login shell of the other side begins. */
const home = realpathSync(userInfo().homedir);

const resources = (given: Record<string, Resource>): void => void house.execution.settings.replace(runnerSettingsSchema.parse({ ssh: { resources: given } }));

beforeAll(async () => {
  server = await startSshServer();
  other = await startSshServer({ lines: ['SetEnv WHERE=other'], client: server.client });
  process.env['PATH'] = `${server.bin}${delimiter}${usual.PATH}`;
  process.env['HOME'] = server.home;
  house = await executionHouse();
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'wc-remote-')));
});
afterEach(async () => {
  for (const session of ['s1', 's2']) await house.ask(releaseConnectionsMethod, { session_id: session });
});
afterAll(async () => {
  await house.close();
  expect(house.faults).toEqual([]);
  expect(processes().filter(({ args }) => args.includes(server.configFile))).toEqual([]);
  await Promise.all([server.stop(), other.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const on = (command: string, params: Partial<StartParams> = {}, cwd: string | null = null): Partial<StartParams> & Pick<StartParams, 'program'> => ({
  program: { kind: 'shell', command, shell: null },
  source: 'run_shell',
  session_id: 's1',
  remote: { resource: 'box', cwd },
  ...params,
});

/** Runs a command on the resource to its end. */
async function run(command: string, params: Partial<StartParams> = {}, cwd: string | null = null): Promise<ExecutionReport> {
  const started = await house.start(on(command, params, cwd));
  if (isRefusal(started) || started.outcome !== 'finished') throw new Error(JSON.stringify(started));
  return started.report;
}

const masters = (): readonly number[] => processes().flatMap(({ pid, args }) => (args.includes(server.configFile) && args.includes(' -M ') ? [pid] : []));
const running = (args: string): readonly number[] => processes().flatMap((one) => (one.args === args ? [one.pid] : []));

describe.each(SSH_TRANSPORTS)('a command on a resource over %s', (transport) => {
  beforeAll(() => resources({ box: server.resource(transport) }));

  it('prints, ends and starts as it would there', async () => {
    const report = await run('echo out; echo err >&2; pwd; exit 3');
    expect(report).toMatchObject({ execution_state: 'completed', exit_code: 3, failure_kind: 'command_exit_nonzero', cwd: home, shell: 'bash' });
    expect(report.stdout.text).toBe(`out\n${home}\n`);
    expect(report.stderr.text).toBe('err\n');
    expect('error_code' in report || 'remote_termination' in report).toBe(false);
  });

  it('takes every byte of a command, its standard input, and a shell', async () => {
    const odd = `printf '%s|' "it's" '$x' "\\\\" '!' '"'; printf 'zwölf\\n'; cat; echo "\${BASH_VERSION:+bash}"`;
    expect((await run(odd, { stdin: 'given\n' })).stdout.text).toBe(`it's|$x|\\|!|"|zwölf\ngiven\nbash\n`);
    expect((await run('wc -c', { stdin: 'x'.repeat(60_000) })).stdout.text).toBe('60000\n');
    expect((await run('', { program: { kind: 'shell', command: 'cat; echo "${BASH_VERSION:+bash}."', shell: 'sh' } })).stdout.text).toBe('.\n');
  });

  it('[03-A28] shares one connection in a Session, and nothing else; another Session has another one', async () => {
    const before = server.handshakes();
    await run('export SHARED=1; cd /');
    const [first] = server.sessions();
    const second = await run('echo "[$SHARED]"; pwd');
    expect(second.stdout.text).toBe(`[]\n${home}\n`);
    expect(server.sessions()).toEqual([first]);
    await run('true', { session_id: 's2' });
    expect(server.sessions()).toHaveLength(2);
    expect(server.handshakes() - before).toBe(2);
  });

  it('makes one handshake for ten commands that come at once', async () => {
    const before = server.handshakes();
    const reports = await Promise.all(Array.from({ length: 10 }, (_, index) => run(`echo ${index}`)));
    expect(reports.map(({ stdout }) => stdout.text)).toEqual(Array.from({ length: 10 }, (_, index) => `${index}\n`));
    expect(server.handshakes() - before).toBe(1);
  });

  it('[03-A29] tells an exit of 255 from a connection that broke, and runs nothing again', async () => {
    expect(await run('exit 255')).toMatchObject({ execution_state: 'completed', exit_code: 255, failure_kind: 'command_exit_nonzero' });
    const trace = join(folder, `once-${transport}`);
    const broken = run(`echo x >>${trace}; sleep 94.5`);
    await until('it runs', () => existsSync(trace));
    const [session] = server.sessions();
    // What carries it on this machine where there is such a process, else on the other.
    process.kill(masters()[0] ?? session!, 'SIGKILL');
    expect(await broken).toMatchObject({ execution_state: 'outcome_unknown', failure_kind: 'outcome_unknown', error_code: 'ssh_transport_failed', remote_termination: 'unverified', exit_code: null });
    expect((await run(`cat ${trace}`)).stdout.text).toBe('x\n');
    expect(server.sessions()).not.toContain(session);
    for (const pid of running('sleep 94.5')) signal(pid, 'SIGKILL');
  });

  it('is given to another connection when its own was found dead', async () => {
    await run('true');
    const [session] = server.sessions();
    process.kill(session!, 'SIGKILL');
    await until('its end is known here', () => masters().length === 0 && !server.sessions().includes(session!));
    expect((await run('echo again')).stdout.text).toBe('again\n');
  });

  it('[03-A30] says that a folder is missing there, and starts nothing here', async () => {
    const never = join(folder, `never-${transport}`);
    expect(refused(await house.start(on(`touch ${never}`, {}, '/no/such/folder')))).toMatchObject({
      error_kind: 'ssh_remote_cwd_invalid',
      detail: { execution_state: 'not_started', command_started: false, state_changed: false, exit_code: 125 },
    });
    expect(refused(await house.start(on(`touch ${never}`, { remote: { resource: 'nowhere', cwd: null } })))).toMatchObject({
      error_kind: 'ssh_resource_not_found',
      detail: { execution_state: 'not_started' },
    });
    expect(refused(await house.start(on('true', { session_id: null })))).toMatchObject({ error_kind: 'ssh_session_required' });
    expect(refused(await house.start(on('true', {}, 'a\nb')))).toMatchObject({ error_kind: 'ssh_remote_cwd_invalid' });
    expect(existsSync(never)).toBe(false);
  });

  it('[03-A32] ends the processes there at a time-out, and says so', async () => {
    const from = performance.now();
    const report = await run('(sleep 99.5 & sleep 99.5) & trap "" TERM; sleep 99.5', { timeout_ms: 500 });
    expect(performance.now() - from).toBeLessThan(4_500);
    expect(report).toMatchObject({ execution_state: 'timed_out', failure_kind: 'timeout', remote_termination: 'confirmed', exit_code: null });
    expect(running('sleep 99.5')).toEqual([]);
  });

  it('ends what a command leaves behind', async () => {
    const report = await run('trap "" TERM; sleep 98.5 & echo left');
    expect(report).toMatchObject({ execution_state: 'completed', exit_code: 0, descendants_ended: 1 });
    expect(report.stdout.text).toBe('left\n');
    await run('nohup sleep 98.5 >/dev/null 2>&1 & echo left');
    expect(running('sleep 98.5')).toEqual([]);
  });

  it('keeps 4 MiB on each stream apart and whole', async () => {
    const report = await run('head -c 4194304 /dev/zero | tr "\\0" a & head -c 4194304 /dev/zero | tr "\\0" b >&2; wait');
    expect([report.stdout.bytes, report.stderr.bytes]).toEqual([4_194_304, 4_194_304]);
    expect(/^b+$/.test(report.stderr.text)).toBe(true);
  });

  it('goes on as a Job, is followed, and is stopped there', async () => {
    const handed = await house.start(on('echo begun; sleep 97.5', { hand_off_after_ms: 300 }));
    if (isRefusal(handed) || handed.outcome !== 'handed_off') throw new Error(JSON.stringify(handed));
    expect(handed.job).toMatchObject({ status: 'running', resource: 'box', cwd: home });
    const stopped = await house.ask(stopJobMethod, { job_id: handed.job.job_id });
    expect(stopped).toMatchObject({ stop_effect: expect.stringMatching(/stopped|requested/) as string });
    expect(await house.ended(handed.job.job_id)).toMatchObject({ status: 'stopped', remote_termination: 'confirmed' });
    expect(running('sleep 97.5')).toEqual([]);
  });

  it('starts as a Job, and is refused without one when its folder is missing', async () => {
    const started = await house.start(on('echo job', { mode: 'job', source: 'run_job' }));
    if (isRefusal(started) || started.outcome !== 'handed_off') throw new Error(JSON.stringify(started));
    expect(await house.ended(started.job.job_id)).toMatchObject({ status: 'completed', resource: 'box', exit_code: 0 });
    expect(refused(await house.start(on('true', { mode: 'job', source: 'run_job' }, '/no/such/folder')))).toMatchObject({ error_kind: 'ssh_remote_cwd_invalid' });
  });

  it('[03-A31] ends on the old host when its resource is changed; the next one uses the new', async () => {
    const [at, go] = [join(folder, `at-it-${transport}`), join(folder, `go-${transport}`)];
    const before = run(`echo "[$WHERE]"; touch ${at}; while [ ! -e ${go} ]; do sleep 0.05; done; echo "[$WHERE]"`);
    await until('it runs', () => existsSync(at));
    const [old] = server.sessions();
    resources({ box: other.resource(transport) });
    expect((await run('echo "[$WHERE]"')).stdout.text).toBe('[other]\n');
    expect(server.sessions()).toEqual([old]);
    await run(`touch ${go}`);
    expect((await before).stdout.text).toBe('[]\n[]\n');
    await until('the old connection is gone', () => server.sessions().length === 0);
    resources({ box: server.resource(transport) });
  });

  it('has its end by a signal told where the transport tells it', async () => {
    // The wrapper itself is killed: it says nothing of the end.
    expect(await run('kill -KILL $PPID')).toMatchObject(
      transport === 'ssh2'
        ? { execution_state: 'completed', exit_code: -1, signal: 'SIGKILL', failure_kind: 'command_exit_nonzero' }
        : { execution_state: 'outcome_unknown', error_code: 'ssh_transport_failed' },
    );
  });
});

describe('the lines around a command', () => {
  beforeAll(() => resources({ box: server.resource('openssh') }));

  it('brings 16,000 quotes there, and refuses what is longer than the wire', async () => {
    const report = await run("'".repeat(16_000));
    expect(report).toMatchObject({ execution_state: 'completed', exit_code: 127 });
    expect(refused(await house.start(on("'".repeat(16_000), {}, `/${'x'.repeat(4_000)}`)))).toMatchObject({ error_kind: 'invalid_arguments', detail: { execution_state: 'not_started' } });
  });

  it('enters a folder by any name, and reports where it is without links', async () => {
    const link = join(folder, 'link');
    symlinkSync('/usr/bin', link);
    expect(await run('pwd', {}, link)).toMatchObject({ cwd: realpathSync('/usr/bin') });
    expect((await run('pwd', {}, '~')).stdout.text).toBe(`${home}\n`);
    expect((await run('pwd -P', {}, '~/..')).stdout.text).toBe(`${realpathSync(join(home, '..'))}\n`);
  });

  it('fails by itself, and with the words of the other side, when the disk is full there', async () => {
    const report = await run('echo kept; echo lost >/dev/full');
    expect(report).toMatchObject({ execution_state: 'completed', exit_code: 1, failure_kind: 'command_exit_nonzero' });
    expect(report.stdout.text).toBe('kept\n');
    expect(report.stderr.text).toMatch(/No space left on device/);
  });
});

describe('a master', () => {
  beforeAll(() => resources({ box: server.resource('openssh') }));

  it('that is stopped is replaced before it is given a command', async () => {
    await run('true');
    const [stopped] = masters();
    process.kill(stopped!, 'SIGSTOP');
    expect((await run('echo again')).stdout.text).toBe('again\n');
    expect(masters()).not.toContain(stopped);
  });

  it('that is gone is not dialled past: a channel of it ends, and nothing is run', async () => {
    const controlPath = join(folder, 'ctl');
    const env = { PATH: process.env['PATH'] ?? '', HOME: server.home };
    const master = await OpenSshMaster.start({ program: join(server.bin, 'ssh'), host: server.alias, env, controlPath, mark: () => () => undefined });
    if ('failed' in master) throw new Error(master.failed);
    const connection = new OpenSshConnection(master);
    expect(await connection.ask('echo yes', 10_000)).toBe('yes\n');
    const before = server.handshakes();
    for (const { pid, args } of processes()) if (args.includes(controlPath)) signal(pid, 'SIGKILL');
    const trace = join(folder, 'dialled');
    const opened = await connection.open(`touch ${trace}`, { stdin: null, stdout: 'pipe' });
    if ('failed' in opened) throw new Error(opened.failed);
    opened.stdout?.resume();
    opened.stderr.resume();
    expect(await opened.ended).toEqual({ code: null, exact: false, signal: null });
    expect([existsSync(trace), server.handshakes(), await connection.isAlive()]).toEqual([false, before, false]);
    await connection.close();
  });

  it('has its socket in a private folder, and leaves none', async () => {
    await run('true');
    const [master] = masters();
    const [, path = ''] = / -S (\S+)/.exec(processes().find(({ pid }) => pid === master)?.args ?? '') ?? [];
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(80);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    await house.ask(releaseConnectionsMethod, { session_id: 's1' });
    await until('it is gone', () => !existsSync(path));
  });
});

describe.each(SSH_TRANSPORTS)('a host that does not do what it should, over %s', (transport) => {
  /** Servers of one test; each is reached with the client of all. */
  const started: SshServer[] = [];
  const start = async (...lines: string[]): Promise<SshServer> => {
    const one = await startSshServer({ lines, client: server.client });
    started.push(one);
    return one;
  };
  afterEach(async () => {
    for (const session of ['s1', 's2']) await house.ask(releaseConnectionsMethod, { session_id: session });
    await Promise.all(started.splice(0).map((one) => one.stop()));
  });

  it('gives no second channel where it has only one', async () => {
    const small = await start('MaxSessions 1');
    resources({ box: small.resource(transport) });
    const [trace, go] = [join(folder, `only-${transport}`), join(folder, `only-go-${transport}`)];
    const only = run(`touch ${trace}; while [ ! -e ${go} ]; do sleep 0.05; done`);
    await until('it runs', () => existsSync(trace));
    expect(refused(await house.start(on('true')))).toMatchObject({ error_kind: 'ssh_connection_failed', detail: { reason_code: 'channel_refused', execution_state: 'not_started' } });
    symlinkSync('/', go);
    expect(await only).toMatchObject({ execution_state: 'completed', exit_code: 0 });
    expect(await run('true')).toMatchObject({ exit_code: 0 });
  });

  it('whose start files speak or end early changes no outcome', async () => {
    const [noisy, broken] = await Promise.all([start('ForceCommand echo noise >&2; printf "\\0start\\0" >&2; eval "$SSH_ORIGINAL_COMMAND"'), start('ForceCommand echo gone >&2; exit 9')]);
    resources({ box: noisy.resource(transport) });
    const report = await run('echo err >&2; exit 4');
    expect([report.exit_code, report.stderr.text]).toEqual([4, 'err\n']);
    resources({ box: broken.resource(transport) });
    expect(refused(await house.start(on('true')))).toMatchObject({ error_kind: 'ssh_command_spawn_failed', detail: { execution_state: 'not_started' } });
  });

  it('is told by why it could not be reached, and never by its name', async () => {
    const reason = async (bad: Resource): Promise<unknown> => {
      resources({ bad });
      const { error_kind: kind, detail, message } = refused(await house.start(on('true', { remote: { resource: 'bad', cwd: null } })));
      expect([kind, detail['execution_state']]).toEqual(['ssh_connection_failed', 'not_started']);
      for (const secret of [server.alias, server.keyFile, other.keyFile, '127.0.0.1', 'no-such-host']) expect(message + JSON.stringify(detail)).not.toContain(secret);
      return detail['reason_code'];
    };
    for (const [expected, changed] of BAD_HOSTS) expect([expected, await reason(await changed(server, other, transport))]).toEqual([expected, expected]);
    server.configure();
  });
});

type BadHost = (server: SshServer, other: SshServer, transport: Transport) => Resource | Promise<Resource>;

/** The server's resource with something changed. */
const changed = (server: SshServer, transport: Transport, ssh: readonly string[], fields: object): Resource => {
  server.configure(...ssh);
  return (transport === 'openssh' ? server.resource(transport) : { ...server.resource(transport), ...fields });
};

const BAD_HOSTS: readonly (readonly [string, BadHost])[] = [
  ['unreachable', (server, _, transport) => changed(server, transport, ['Port 1'], { port: 1 })],
  ['name_not_resolved', (server, _, transport) => changed(server, transport, ['HostName no-such-host.invalid'], { host: 'no-such-host.invalid' })],
  ['authentication_failed', (server, other, transport) => changed(server, transport, [`IdentityFile ${other.keyFile}`, 'PreferredAuthentications password'], { identity_file: other.keyFile })],
];

describe('a host that is stopped', () => {
  it('costs a command its time-out, and its end there stays unverified', async () => {
    const stalled = await startSshServer({ client: server.client });
    resources({ openssh: stalled.resource('openssh'), ssh2: stalled.resource('ssh2') });
    const both = SSH_TRANSPORTS.map((transport) => run(`touch ${join(folder, `stalled-${transport}`)}; sleep 95.5`, { timeout_ms: 600, remote: { resource: transport, cwd: null } }));
    await until('they run', () => SSH_TRANSPORTS.every((transport) => existsSync(join(folder, `stalled-${transport}`))));
    for (const pid of stalled.sessions()) process.kill(pid, 'SIGSTOP');
    const from = performance.now();
    const stopped = { execution_state: 'timed_out', remote_termination: 'unverified' };
    expect(await Promise.all(both)).toMatchObject([stopped, stopped]);
    expect(performance.now() - from).toBeLessThan(5_500);
    for (const pid of running('sleep 95.5')) signal(pid, 'SIGKILL');
    await house.ask(releaseConnectionsMethod, { session_id: 's1' });
    await stalled.stop();
  });
});

describe('a machine without OpenSSH', () => {
  it('[03-A33] says so, and starts nothing', async () => {
    process.env['PATH'] = folder;
    const bare = await executionHouse();
    process.env['PATH'] = `${server.bin}${delimiter}${usual.PATH}`;
    bare.execution.settings.replace(runnerSettingsSchema.parse({ ssh: { resources: { openssh: server.resource('openssh'), ssh2: server.resource('ssh2') } } }));
    for (const [resource, program] of [['openssh', '"ssh"'], ['ssh2', '"ssh-keygen"']] as const) {
      const { error_kind: kind, message, detail } = refused(await bare.start(on('true', { remote: { resource, cwd: null } })));
      expect([kind, detail['execution_state'], detail['state_changed']]).toEqual(['capability_unavailable', 'not_started', false]);
      expect(message).toContain(program);
    }
    await bare.close();
  });
});
