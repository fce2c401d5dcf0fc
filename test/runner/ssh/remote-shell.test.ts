import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refused, until } from '../jobs/execution-house.js';
import { SSH_TRANSPORTS } from '../../../src/protocol/runner/ssh.js';
import { runnerSettingsSchema } from '../../../src/protocol/runner/settings.js';
import { shellHouse, type OpenShell, type ShellHouse } from '../shell/shell-house.js';
import { processes, signal, startSshServer, type Resource, type SshServer, type Transport } from './ssh-server.js';

let server: SshServer;
let house: ShellHouse;
let folder: string;
const home = realpathSync(userInfo().homedir);

const resources = (given: Record<string, Resource>): void => void house.settings.replace(runnerSettingsSchema.parse({ ssh: { resources: given } }));

beforeAll(async () => {
  server = await startSshServer();
  process.env['PATH'] = `${server.bin}${delimiter}${process.env['PATH'] ?? ''}`;
  process.env['HOME'] = server.home;
  house = await shellHouse();
  resources(both());
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'wc-remote-')));
});
afterAll(async () => {
  await house.close();
  expect(house.faults).toEqual([]);
  expect(processes().filter(({ args }) => args.includes(server.configFile))).toEqual([]);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The same host, by both transports. */
const both = (): Record<Transport, Resource> => ({ openssh: server.resource('openssh'), ssh2: server.resource('ssh2') });
const running = (args: string): readonly number[] => processes().flatMap((one) => (one.args === args ? [one.pid] : []));

describe.each(SSH_TRANSPORTS)('a shell on a resource over %s', (transport) => {
  const open = (cwd: string | null = null, params: object = {}): Promise<OpenShell> => house.open({ remote: { resource: transport, cwd }, ...params });

  it('keeps what its commands set, and tells each end exactly', async () => {
    const shell = await open();
    expect(shell.view).toMatchObject({ state: 'running', resource: transport, cwd: home, initial_cwd: home, shell: 'bash' });
    const link = join(folder, `link-${transport}`);
    symlinkSync('/usr/bin', link);
    expect(await shell.run(`cd ${link}; export A=1; f(){ echo "f $A"; }; umask 027`)).toMatchObject({ execution_state: 'completed', exit_code: 0, after: { cwd: realpathSync('/usr/bin') } });
    const second = await shell.run('f; umask; echo err >&2; (exit 5)');
    expect(second).toMatchObject({ exit_code: 5, failure_kind: 'command_exit_nonzero' });
    expect([second.stdout.text, second.stderr.text]).toEqual(['f 1\n0027\n', 'err\n']);
    expect((await shell.run('cat; echo "$#$1"')).stdout.text).toBe('0\n');
    const both = await shell.run('head -c 300000 /dev/zero | tr "\\0" a; head -c 300000 /dev/zero | tr "\\0" b >&2; printf "\\0x\\0"');
    expect([both.stdout.bytes, both.stderr.bytes]).toEqual([300_003, 300_000]);
    expect(await shell.close()).toMatchObject({ already_closed: false, shell: { state: 'closed' } });
  });

  it('takes 16,000 quotes, a syntax error, and an exit', async () => {
    const shell = await open(null, { shell: 'bash' });
    expect(await shell.run("'".repeat(16_000))).toMatchObject({ exit_code: 127 });
    expect(await shell.run("echo 'x")).toMatchObject({ execution_state: 'completed', exit_code: 2 });
    expect(await shell.run('exit 7')).toMatchObject({ execution_state: 'completed', error_code: 'shell_exited', exit_code: 7 });
    expect(refused(await shell.tryRun('true'))).toMatchObject({ error_kind: 'persistent_shell_stale' });
    const dash = await open(null, { shell: 'sh' });
    expect(dash.view.shell).toBe('sh');
    expect(await dash.run("echo 'x")).toMatchObject({ error_code: 'shell_exited', exit_code: 2 });
  });

  it('shares the connection with the commands of its Session, and ends with its processes', async () => {
    const shell = await open();
    await shell.run('sleep 91.5 & sleep 91.5 & true');
    await until('both run', () => running('sleep 91.5').length === 2);
    await shell.close();
    expect(running('sleep 91.5')).toEqual([]);
  });

  it('is interrupted at a time-out, and goes on where it traps that', async () => {
    const plain = await open();
    expect(await plain.run('sleep 90.5', { timeout_ms: 300 })).toMatchObject({ execution_state: 'timed_out', error_code: 'shell_reset_required', after: { state: 'exited', close_reason: 'shell_exited_after_timeout' } });
    expect(running('sleep 90.5')).toEqual([]);
    const trapping = await open();
    await trapping.run('trap : INT');
    expect(await trapping.run('sleep 90.5', { timeout_ms: 300 })).toMatchObject({ execution_state: 'timed_out', error_code: 'command_timeout', after: { state: 'running' } });
    expect((await trapping.run('echo on')).stdout.text).toBe('on\n');
    await trapping.close();
  });

  it('whose connection breaks mid-command is lost, and nothing is run again', async () => {
    const shell = await open();
    const trace = join(folder, `lost-${transport}`);
    const broken = shell.run(`echo x >>${trace}; sleep 89.5`);
    await until('it runs', () => existsSync(trace));
    for (const pid of server.sessions()) process.kill(pid, 'SIGKILL');
    expect(await broken).toMatchObject({ execution_state: 'lost', failure_kind: 'outcome_unknown', error_code: 'shell_reset_required', after: { state: 'poisoned', close_reason: 'control_channel_lost' } });
    expect(readFileSync(trace, 'utf8')).toBe('x\n');
    for (const pid of running('sleep 89.5')) signal(pid, 'SIGKILL');
  });

  it('[03-A30] fails open where the folder is missing, and starts nothing here', async () => {
    const answer = await house.tryOpen({ remote: { resource: transport, cwd: '/no/such' } });
    expect(refused(answer)).toMatchObject({ error_kind: 'ssh_remote_cwd_invalid', detail: { execution_state: 'not_started', exit_code: 125 } });
    expect(refused(await house.tryOpen({ remote: { resource: 'nowhere', cwd: null } }))).toMatchObject({ error_kind: 'ssh_resource_not_found' });
    expect(house.shells.openShells()).toBe(0);
  });

  it('[03-A31] is closed without a word when its host was edited', async () => {
    const shell = await open();
    const trace = join(folder, `edited-${transport}`);
    resources({ ...both(), [transport]: { ...server.resource(transport), default_cwd: '/' } });
    expect(refused(await shell.tryRun(`touch ${trace}`))).toMatchObject({
      error_kind: 'shell_reset_required',
      detail: { command_started: false, execution_state: 'not_started', close_reason: 'resource_changed' },
    });
    expect(existsSync(trace)).toBe(false);
    resources(both());
  });

  it('comes up behind start files that speak', async () => {
    const noisy = await startSshServer({ lines: ['ForceCommand echo noise; echo noise >&2; eval "$SSH_ORIGINAL_COMMAND"'], client: server.client });
    resources({ ...both(), [transport]: noisy.resource(transport) });
    try {
      const shell = await open();
      const report = await shell.run('echo out; echo err >&2');
      expect([report.stdout.text, report.stderr.text]).toEqual(['out\n', 'err\n']);
      await shell.close();
    } finally {
      await noisy.stop();
      resources(both());
    }
  });
});

describe('a shell on a resource that closes its private descriptor', () => {
  it('is lost', async () => {
    const shells = await Promise.all(SSH_TRANSPORTS.map((resource) => house.open({ remote: { resource, cwd: null } })));
    const lost = { execution_state: 'lost', error_code: 'shell_reset_required', after: { state: 'poisoned' } };
    expect(await Promise.all(shells.map((shell) => shell.run('exec 8>&-')))).toMatchObject([lost, lost]);
  });
});
