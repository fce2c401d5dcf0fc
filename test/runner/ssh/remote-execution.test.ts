import { existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { releaseConnectionsMethod } from '../../../src/protocol/runner/ssh.js';
import { runnerSettingsSchema } from '../../../src/protocol/runner/settings.js';
import { stopJobMethod } from '../../../src/protocol/runner/jobs.js';
import type { ExecutionReport } from '../../../src/protocol/runner/execution.js';
import { isRefusal } from '../../../src/runner/request.js';
import { executionHouse, refused, until, type ExecutionHouse, type StartParams } from '../jobs/execution-house.js';
import { processes, signal, startSshServer, type SshServer } from './ssh-server.js';

let server: SshServer;
let house: ExecutionHouse;
let folder: string;
const usualPath = process.env['PATH'] ?? '';

const resources = (given: Record<string, { host: string; default_cwd?: string }>): void =>
  void house.execution.settings.replace(runnerSettingsSchema.parse({ ssh: { resources: given } }));

beforeAll(async () => {
  server = await startSshServer();
  process.env['PATH'] = `${server.bin}${delimiter}${usualPath}`;
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
  await server.stop();
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

describe('a command on a resource', () => {
  beforeAll(() => resources({ box: { host: server.alias } }));

  it('prints, ends and starts as it would there', async () => {
    const report = await run('echo out; echo err >&2; pwd; exit 3');
    expect(report).toMatchObject({ execution_state: 'completed', exit_code: 3, failure_kind: 'command_exit_nonzero', cwd: realpathSync(homedir()), shell: 'bash' });
    expect(report.stdout.text).toBe(`out\n${realpathSync(homedir())}\n`);
    expect(report.stderr.text).toBe('err\n');
    expect('error_code' in report || 'remote_termination' in report).toBe(false);
  });

  it('takes every byte of a command, its standard input, and a shell', async () => {
    const odd = `printf '%s|' "it's" '$x' "\\\\" '!' '"'; printf 'zwölf\\n'; cat; echo "\${BASH_VERSION:+bash}"`;
    expect((await run(odd, { stdin: 'given\n' })).stdout.text).toBe(`it's|$x|\\|!|"|zwölf\ngiven\nbash\n`);
    expect((await run('cat; echo "${BASH_VERSION:+bash}."', { program: { kind: 'shell', command: 'cat; echo "${BASH_VERSION:+bash}."', shell: 'sh' } })).stdout.text).toBe('.\n');
  });

  it('brings 16,000 quotes there, and refuses what is longer than the wire', async () => {
    const report = await run("'".repeat(16_000));
    expect(report).toMatchObject({ execution_state: 'completed', exit_code: 127 });
    expect(refused(await house.start(on("'".repeat(16_000), {}, `/${'x'.repeat(4_000)}`)))).toMatchObject({ error_kind: 'invalid_arguments', detail: { execution_state: 'not_started' } });
  });

  it('[03-A28] shares one connection in a Session, and nothing else; another Session has another one', async () => {
    const before = server.handshakes();
    await run('export SHARED=1; cd /');
    const [first] = masters();
    const second = await run('echo "[$SHARED]"; pwd');
    expect(second.stdout.text).toBe(`[]\n${realpathSync(homedir())}\n`);
    expect(masters()).toEqual([first]);
    await run('true', { session_id: 's2' });
    expect(masters()).toHaveLength(2);
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
    const trace = join(folder, 'once');
    const running = run(`echo x >>${trace}; sleep 94.5`);
    await until('it runs', () => existsSync(trace));
    const [master] = masters();
    process.kill(master!, 'SIGKILL');
    expect(await running).toMatchObject({ execution_state: 'outcome_unknown', failure_kind: 'outcome_unknown', error_code: 'ssh_transport_failed', remote_termination: 'unverified', exit_code: null });
    expect((await run(`cat ${trace}`)).stdout.text).toBe('x\n');
    expect(masters()).not.toContain(master);
    for (const { pid } of processes().filter(({ args }) => args === 'sleep 94.5')) signal(pid, 'SIGKILL');
  });

  it('replaces a master that is dead or stopped before it gives it a command', async () => {
    await run('true');
    process.kill(masters()[0]!, 'SIGKILL');
    expect((await run('echo again')).stdout.text).toBe('again\n');
    const [stopped] = masters();
    process.kill(stopped!, 'SIGSTOP');
    expect((await run('echo again')).stdout.text).toBe('again\n');
    expect(masters()).not.toContain(stopped);
  });

  it('[03-A30] says that a folder is missing there, and starts nothing here', async () => {
    expect(refused(await house.start(on(`touch ${join(folder, 'never')}`, {}, '/no/such/folder')))).toMatchObject({
      error_kind: 'ssh_remote_cwd_invalid',
      detail: { execution_state: 'not_started', command_started: false, state_changed: false, exit_code: 125 },
    });
    expect(refused(await house.start(on(`touch ${join(folder, 'never')}`, { remote: { resource: 'nowhere', cwd: null } })))).toMatchObject({
      error_kind: 'ssh_resource_not_found',
      detail: { execution_state: 'not_started' },
    });
    expect(refused(await house.start(on('true', { session_id: null })))).toMatchObject({ error_kind: 'ssh_session_required' });
    expect(refused(await house.start(on('true', {}, 'a\nb')))).toMatchObject({ error_kind: 'ssh_remote_cwd_invalid' });
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });

  it('enters a folder by any name, and reports where it is without links', async () => {
    symlinkSync('/usr/bin', join(folder, 'link'));
    expect(await run('pwd', {}, join(folder, 'link'))).toMatchObject({ cwd: realpathSync('/usr/bin') });
    expect((await run('pwd', {}, '~')).stdout.text).toBe(`${realpathSync(homedir())}\n`);
    expect((await run('pwd -P', {}, '~/..')).stdout.text).toBe(`${realpathSync(join(homedir(), '..'))}\n`);
  });

  it('[03-A32] ends the processes there at a time-out, and says so', async () => {
    const from = performance.now();
    const report = await run('(sleep 99.5 & sleep 99.5) & trap "" TERM; sleep 99.5', { timeout_ms: 1_000 });
    expect(performance.now() - from).toBeLessThan(5_000);
    expect(report).toMatchObject({ execution_state: 'timed_out', failure_kind: 'timeout', remote_termination: 'confirmed', exit_code: null });
    expect(processes().filter(({ args }) => args === 'sleep 99.5')).toEqual([]);
  });

  it('ends what a command leaves behind', async () => {
    const report = await run('trap "" TERM; sleep 98.5 & echo left');
    expect(report).toMatchObject({ execution_state: 'completed', exit_code: 0, descendants_ended: 1 });
    expect(report.stdout.text).toBe('left\n');
    await run('nohup sleep 98.5 >/dev/null 2>&1 & echo left');
    expect(processes().filter(({ args }) => args === 'sleep 98.5')).toEqual([]);
  });

  it('keeps 4 MiB on each stream apart and whole', async () => {
    const report = await run('head -c 4194304 /dev/zero | tr "\\0" a & head -c 4194304 /dev/zero | tr "\\0" b >&2; wait');
    expect([report.stdout.bytes, report.stderr.bytes]).toEqual([4_194_304, 4_194_304]);
    expect(/^b+$/.test(report.stderr.text)).toBe(true);
  });

  it('goes on as a Job, is followed, and is stopped there', async () => {
    const handed = await house.start(on('echo begun; sleep 97.5', { hand_off_after_ms: 300 }));
    if (isRefusal(handed) || handed.outcome !== 'handed_off') throw new Error(JSON.stringify(handed));
    expect(handed.job).toMatchObject({ status: 'running', resource: 'box', cwd: realpathSync(homedir()) });
    const stopped = await house.ask(stopJobMethod, { job_id: handed.job.job_id });
    expect(stopped).toMatchObject({ stop_effect: expect.stringMatching(/stopped|requested/) as string });
    expect(await house.ended(handed.job.job_id)).toMatchObject({ status: 'stopped', remote_termination: 'confirmed' });
    expect(processes().filter(({ args }) => args === 'sleep 97.5')).toEqual([]);
  });

  it('starts a Job, and refuses one whose folder is missing without a Job', async () => {
    const started = await house.start(on('echo job', { mode: 'job', source: 'run_job' }));
    if (isRefusal(started) || started.outcome !== 'handed_off') throw new Error(JSON.stringify(started));
    expect(await house.ended(started.job.job_id)).toMatchObject({ status: 'completed', resource: 'box', exit_code: 0 });
    expect(refused(await house.start(on('true', { mode: 'job', source: 'run_job' }, '/no/such/folder')))).toMatchObject({ error_kind: 'ssh_remote_cwd_invalid' });
  });
});

describe('a resource that changes', () => {
  it('[03-A31] lets a command end on the old host; the next one uses the new', async () => {
    const other = await startSshServer(['SetEnv WHERE=other'], 'other-host');
    try {
      // One client configuration for both hosts.
      server.configure();
      const config = await import('node:fs');
      config.appendFileSync(server.configFile, config.readFileSync(other.configFile));
      resources({ box: { host: server.alias } });
      const go = join(folder, 'go');
      const running = run(`echo "[$WHERE]"; touch ${join(folder, 'at-it')}; while [ ! -e ${go} ]; do sleep 0.05; done; echo "[$WHERE]"`);
      await until('it runs', () => existsSync(join(folder, 'at-it')));
      const old = masters();
      resources({ box: { host: other.alias } });
      expect((await run('echo "[$WHERE]"')).stdout.text).toBe('[other]\n');
      expect(masters()).toEqual(expect.arrayContaining([...old]));
      await run(`touch ${go}`);
      expect((await running).stdout.text).toBe('[]\n[]\n');
      await until('the old master is gone', () => !masters().includes(old[0]!));
    } finally {
      await house.ask(releaseConnectionsMethod, { session_id: 's1' });
      await other.stop();
      server.configure();
      resources({ box: { host: server.alias } });
    }
  });
});

describe('a host that does not do what it should', () => {
  const reason = async (host: string): Promise<unknown> => {
    resources({ bad: { host } });
    const { error_kind: kind, detail, message } = refused(await house.start(on('true', { remote: { resource: 'bad', cwd: null } })));
    expect([kind, detail['execution_state']]).toEqual(['ssh_connection_failed', 'not_started']);
    for (const secret of [server.alias, server.keyFile, '127.0.0.1']) expect(message + JSON.stringify(detail)).not.toContain(secret);
    return detail['reason_code'];
  };

  it('is told by why it could not be reached, and never by its name', async () => {
    server.configure('Port 1');
    expect(await reason(server.alias)).toBe('unreachable');
    server.configure('UserKnownHostsFile /dev/null');
    expect(await reason(server.alias)).toBe('host_key_unknown');
    const other = await startSshServer();
    server.configure(`IdentityFile ${other.keyFile}`, 'IdentitiesOnly yes', 'PreferredAuthentications password');
    expect(await reason(server.alias)).toBe('authentication_failed');
    await other.stop();
    expect(await reason('no-such-host.invalid')).toBe('name_not_resolved');
    server.configure();
  });

  it('is not trusted with another key than before', async () => {
    const { appendFileSync, readFileSync, writeFileSync } = await import('node:fs');
    const known = readFileSync(server.knownHosts, 'utf8');
    const other = await startSshServer();
    writeFileSync(server.knownHosts, `[127.0.0.1]:${server.port} ${readFileSync(join(other.folder, 'host-key.pub'), 'utf8')}`);
    expect(await reason(server.alias)).toBe('host_key_changed');
    writeFileSync(server.knownHosts, known);
    appendFileSync(server.knownHosts, '');
    await other.stop();
  });

  it('gives no second channel where it has only one', async () => {
    const small = await startSshServer(['MaxSessions 1']);
    try {
      server.configure(`Port ${small.port}`, `IdentityFile ${small.keyFile}`, `UserKnownHostsFile ${small.knownHosts}`);
      resources({ box: { host: server.alias } });
      const trace = join(folder, 'only');
      const running = run(`touch ${trace}; sleep 1.5`);
      await until('it runs', () => existsSync(trace));
      expect(refused(await house.start(on('true')))).toMatchObject({ error_kind: 'ssh_connection_failed', detail: { reason_code: 'channel_refused', execution_state: 'not_started' } });
      expect(await running).toMatchObject({ execution_state: 'completed', exit_code: 0 });
      expect(await run('true')).toMatchObject({ exit_code: 0 });
    } finally {
      await house.ask(releaseConnectionsMethod, { session_id: 's1' });
      await small.stop();
      server.configure();
    }
  });

  it('whose connection dies mid-command leaves the outcome unknown', async () => {
    const doomed = await startSshServer();
    server.configure(`Port ${doomed.port}`, `IdentityFile ${doomed.keyFile}`, `UserKnownHostsFile ${doomed.knownHosts}`);
    resources({ box: { host: server.alias } });
    const trace = join(folder, 'doomed');
    const running = run(`touch ${trace}; sleep 96.5`);
    await until('it runs', () => existsSync(trace));
    for (const pid of doomed.sessions()) process.kill(pid, 'SIGKILL');
    expect(await running).toMatchObject({ execution_state: 'outcome_unknown', error_code: 'ssh_transport_failed' });
    for (const { pid } of processes().filter(({ args }) => args.includes('sleep 96.5'))) signal(pid, 'SIGKILL');
    await doomed.stop();
    server.configure();
  });

  it('that is stopped costs a command its time-out, and its end there stays unverified', async () => {
    const stalled = await startSshServer();
    server.configure(`Port ${stalled.port}`, `IdentityFile ${stalled.keyFile}`, `UserKnownHostsFile ${stalled.knownHosts}`);
    resources({ box: { host: server.alias } });
    const trace = join(folder, 'stalled');
    const running = run(`touch ${trace}; sleep 95.5`, { timeout_ms: 1_500 });
    await until('it runs', () => existsSync(trace));
    for (const pid of stalled.sessions()) process.kill(pid, 'SIGSTOP');
    const from = performance.now();
    expect(await running).toMatchObject({ execution_state: 'timed_out', remote_termination: 'unverified' });
    expect(performance.now() - from).toBeLessThan(5_500);
    for (const { pid } of processes().filter(({ args }) => args.includes('sleep 95.5'))) signal(pid, 'SIGKILL');
    await house.ask(releaseConnectionsMethod, { session_id: 's1' });
    await stalled.stop();
    server.configure();
  });

  it('whose start files speak or end early changes no outcome', async () => {
    const noisy = await startSshServer(['ForceCommand echo noise >&2; printf "\\0start\\0" >&2; eval "$SSH_ORIGINAL_COMMAND"']);
    const broken = await startSshServer(['ForceCommand echo gone >&2; exit 9']);
    server.configure(`Port ${noisy.port}`, `IdentityFile ${noisy.keyFile}`, `UserKnownHostsFile ${noisy.knownHosts}`);
    resources({ box: { host: server.alias } });
    const report = await run('echo err >&2; exit 4');
    expect([report.exit_code, report.stderr.text]).toEqual([4, 'err\n']);
    server.configure(`Port ${broken.port}`, `IdentityFile ${broken.keyFile}`, `UserKnownHostsFile ${broken.knownHosts}`);
    resources({ box: { host: server.alias, default_cwd: '/' } });
    expect(refused(await house.start(on('true')))).toMatchObject({ error_kind: 'ssh_command_spawn_failed', detail: { execution_state: 'not_started' } });
    await house.ask(releaseConnectionsMethod, { session_id: 's1' });
    await noisy.stop();
    await broken.stop();
    server.configure();
  });
});

describe('a machine without ssh', () => {
  it('[03-A33] says so, and starts nothing', async () => {
    process.env['PATH'] = folder;
    const bare = await executionHouse();
    process.env['PATH'] = `${server.bin}${delimiter}${usualPath}`;
    bare.execution.settings.replace(runnerSettingsSchema.parse({ ssh: { resources: { box: { host: server.alias } } } }));
    await bare.execution.environment();
    expect(refused(await bare.start(on('true')))).toMatchObject({ error_kind: 'capability_unavailable', detail: { execution_state: 'not_started', state_changed: false } });
    await bare.close();
  });
});
