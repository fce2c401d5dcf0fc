import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../runner/jobs/execution-house.js';
import { processes, startSshServer, type SshServer } from '../../runner/ssh/ssh-server.js';
import { ShellsHouse, type DaemonLife, type Result } from '../shells/shells-house.js';

let server: SshServer;
let house: ShellsHouse;
let daemon: DaemonLife;
let project: string;
let folder: string;
/** Where the login shell of the other side begins. */
const home = realpathSync(userInfo().homedir);
/** Every answer of a tool. */
const answers: Result[] = [];

beforeAll(async () => {
  server = await startSshServer();
  process.env['PATH'] = `${server.bin}${delimiter}${process.env['PATH'] ?? ''}`;
  house = new ShellsHouse({ ssh: { resources: { box: { host: server.alias }, fast: server.resource('ssh2'), tmp: { host: server.alias, default_cwd: '/usr' } } } });
  // The home of the Runner.
  mkdirSync(join(house.state, '.ssh'));
  copyFileSync(server.knownHosts, join(house.state, '.ssh/known_hosts'));
  daemon = house.daemon();
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'wc-remote-')));
  project = String((await daemon.output('register_project', { client_id: 'local', path: house.projectPath })).project);
});
afterAll(async () => {
  await house.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const sessionOn = async (resource: string, more: Record<string, unknown> = {}): Promise<string> =>
  String((await daemon.output('start_session', { project, execution_context: { resource, ...more } })).session_id);
const call: DaemonLife['call'] = async (tool, args, changes) => {
  const answer = await daemon.call(tool, JSON.parse(JSON.stringify({ project, ...args })) as Record<string, unknown>, changes);
  answers.push(answer);
  return answer;
};
const manage = (args: Record<string, unknown>): Promise<Result> => call('manage_ssh_resource', { project: undefined, ...args });
const masters = (): readonly number[] => processes().flatMap(({ pid, args }) => (args.includes(server.configFile) && args.includes(' -M ') ? [pid] : []));

describe('a Session on a resource', () => {
  it('[03-A28] runs shell text there, over one connection until it is closed', async () => {
    const session_id = await sessionOn('box');
    const first = await call('run_shell', { session_id, command: 'export A=1; pwd; echo err >&2' });
    expect(first).toMatchObject({
      success: true,
      output: {
        execution_state: 'completed',
        exit_code: 0,
        stdout_tail: `${home}\n`,
        stderr_tail: 'err\n',
        cwd: home,
        shell: 'bash',
        resource: 'box',
        execution_source: 'run_shell',
      },
    });
    const [master] = masters();
    expect((await call('run_shell', { session_id, command: 'echo "[$A]"', shell: 'sh' })).output).toMatchObject({ stdout_tail: '[]\n', shell: 'sh' });
    expect(masters()).toEqual([master]);
    const other = await sessionOn('box');
    await call('run_shell', { session_id: other, command: 'true' });
    expect(masters()).toHaveLength(2);
    for (const one of [session_id, other]) await call('close_session', { project: undefined, session_id: one });
    await until('the masters are gone', () => masters().length === 0);
  });

  it('[03-A28] has the same over the transport that needs no ssh', async () => {
    const session_id = await sessionOn('fast');
    expect(await call('run_shell', { session_id, command: 'pwd; echo err >&2; exit 255' })).toMatchObject({
      success: false,
      output: { error_kind: 'command_exit_nonzero', execution_state: 'completed', exit_code: 255, stdout_tail: `${home}\n`, stderr_tail: 'err\n', resource: 'fast' },
    });
    const connections = server.sessions();
    const { shell_id } = (await call('open_session_shell', { session_id })).output;
    expect((await call('execute_session_shell', { session_id, shell_id, command: 'cd /usr; pwd' })).output).toMatchObject({ stdout_tail: '/usr\n', exit_code: 0 });
    const job = await call('run_job', { session_id, command: 'echo job' });
    await call('wait_for_job_readiness', { project: undefined, job_ids: [job.output['job_id']], mode: 'all', wait_secs: 20 });
    expect(server.sessions()).toEqual(connections);
    expect(await call('close_session', { project: undefined, session_id })).toMatchObject({ success: true, output: { persistent_shells_closed: 1 } });
    await until('its connection is gone', () => server.sessions().length < connections.length);
  });

  it('starts where the call, else the Session, else the resource says', async () => {
    const plain = await sessionOn('tmp');
    expect((await call('run_shell', { session_id: plain, command: 'true' })).output).toMatchObject({ cwd: '/usr' });
    const chosen = await sessionOn('tmp', { default_cwd: '/usr/lib', default_shell: 'sh' });
    expect((await call('run_shell', { session_id: chosen, command: 'true' })).output).toMatchObject({ cwd: '/usr/lib', shell: 'sh' });
    expect((await call('run_shell', { session_id: chosen, command: 'true', cwd: '/' })).output).toMatchObject({ cwd: '/' });
  });

  it('[03-A29] tells its exit of 255, and a connection that broke, apart', async () => {
    const session_id = await sessionOn('box');
    expect(await call('run_shell', { session_id, command: 'exit 255' })).toMatchObject({ success: false, output: { error_kind: 'command_exit_nonzero', execution_state: 'completed', exit_code: 255 } });
    const before = masters();
    const trace = join(folder, 'mid');
    const running = call('run_shell', { session_id, command: `touch ${trace}; read -r x <${trace}.never; while :; do sleep 0.1; done` });
    await until('it runs', () => existsSync(trace));
    process.kill(before.at(-1)!, 'SIGKILL');
    const result = await running;
    expect(result).toMatchObject({
      success: false,
      output: { error_kind: 'ssh_transport_failed', recovery_kind: 'reconcile', execution_state: 'outcome_unknown', command_started: true, command_completed: false, failure_kind: 'outcome_unknown', remote_termination: 'unverified' },
    });
    for (const { pid } of processes().filter(({ args }) => args.includes(`touch ${trace}`))) process.kill(pid, 'SIGKILL');
  });

  it('[03-A30] starts nothing where the folder or the name is wrong', async () => {
    const session_id = await sessionOn('box');
    expect(await call('run_shell', { session_id, command: `touch ${join(folder, 'never')}`, cwd: '/no/such' })).toMatchObject({
      success: false,
      output: { error_kind: 'ssh_remote_cwd_invalid', execution_state: 'not_started', command_started: false, exit_code: 125 },
    });
    const nowhere = await sessionOn('nowhere');
    for (const tool of ['run_shell', 'run_job']) {
      expect(await call(tool, { session_id: nowhere, command: `touch ${join(folder, 'never')}` })).toMatchObject({
        success: false,
        output: { error_kind: 'ssh_resource_not_found', execution_state: 'not_started', command_started: false },
      });
    }
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });

  it('[03-A32] ends what ran there at a time-out', async () => {
    const session_id = await sessionOn('box');
    const from = performance.now();
    expect(await call('run_shell', { session_id, command: 'sleep 93.5', timeout_secs: 1 })).toMatchObject({
      success: false,
      output: { error_kind: 'timeout', execution_state: 'timed_out', remote_termination: 'confirmed' },
    });
    expect(performance.now() - from).toBeLessThan(5_000);
    expect(processes().filter(({ args }) => args === 'sleep 93.5')).toEqual([]);
  });

  it('runs Jobs there, and hands a long command off over its own channel', async () => {
    const session_id = await sessionOn('box');
    const handed = await call('run_shell', { session_id, command: `echo x >>${join(folder, 'starts')}; sleep 2; echo done`, sync_wait_secs: 1 });
    expect(handed.output).toMatchObject({ execution_state: 'running', promoted_to_job: true, resource: 'box' });
    const job = await call('run_job', { session_id, command: 'echo job; exit 6' });
    const ready = await call('wait_for_job_readiness', { project: undefined, job_ids: [handed.output['job_id'], job.output['job_id']], mode: 'all', wait_secs: 20 });
    expect(ready.output['wait_state']).toBe('ready');
    const seen = await call('observe_jobs', { project: undefined, items: [{ job_id: job.output['job_id'] }, { job_id: handed.output['job_id'] }] });
    expect(seen.output['items']).toMatchObject([
      { status: 'failed', exit_code: 6, resource: 'box', stdout_tail: 'job\n' },
      { status: 'completed', exit_code: 0, stdout_tail: 'done\n' },
    ]);
    expect(readFileSync(join(folder, 'starts'), 'utf8')).toBe('x\n');
    const stop = await call('run_job', { session_id, command: 'sleep 92.5' });
    await call('stop_job', { job_id: stop.output['job_id'], session_id, confirm: true });
    await until('it is gone there', () => processes().every(({ args }) => args !== 'sleep 92.5'));
  });

  it('keeps one shell open there, which ends with its Session', async () => {
    const session_id = await sessionOn('box', { default_cwd: '/usr' });
    const opened = await call('open_session_shell', { session_id }, { environment: { FROM_HERE: 'yes' } });
    expect(opened).toMatchObject({ success: true, output: { outcome: 'opened', resource: 'box', cwd: '/usr', shell: 'bash', shell_state: 'running' } });
    const bound = { session_id, shell_id: opened.output['shell_id'] };
    expect((await call('execute_session_shell', { ...bound, command: 'cd lib; x=41; echo "[$FROM_HERE]"' })).output).toMatchObject({ stdout_tail: '[]\n', cwd: realpathSync('/usr/lib'), resource: 'box' });
    expect((await call('execute_session_shell', { ...bound, command: 'echo $((x + 1)); sleep 88.5 & true' })).output).toMatchObject({ stdout_tail: '42\n', exit_code: 0 });
    expect((await call('run_shell', { session_id, command: 'echo "[$x]"' })).output).toMatchObject({ stdout_tail: '[]\n' });
    expect(await call('close_session', { project: undefined, session_id })).toMatchObject({ success: true, output: { persistent_shells_closed: 1 } });
    await until('its processes are gone', () => processes().every(({ args }) => args !== 'sleep 88.5'));
    expect(await call('open_session_shell', { session_id: await sessionOn('nowhere') })).toMatchObject({ success: false, output: { error_kind: 'ssh_resource_not_found', execution_state: 'not_started' } });
  });

  it('never takes the environment of this machine along', async () => {
    const session_id = await sessionOn('box');
    expect((await call('run_shell', { session_id, command: 'echo "[$FROM_HERE]"' }, { environment: { FROM_HERE: 'yes' } })).output).toMatchObject({ stdout_tail: '[]\n' });
  });
});

describe('the resources of this machine', () => {
  it('are registered, replaced by their binding, and removed while the daemon runs', async () => {
    const added = await manage({ action: 'register', name: 'new', target: server.alias, default_cwd: '/usr' });
    expect(added).toMatchObject({ success: true, output: { outcome: 'registered', state_changed: true, name: 'new', default_cwd: '/usr', transport: 'openssh', binding: expect.stringMatching(/^wc_sbind_[0-9a-f]{32}$/) as string } });
    expect(await manage({ action: 'register', name: 'new', target: server.alias, default_cwd: '/usr' })).toMatchObject({ success: true, output: { outcome: 'unchanged', binding: added.output['binding'] } });
    const session_id = await sessionOn('new');
    expect((await call('run_shell', { session_id, command: 'pwd' })).output).toMatchObject({ stdout_tail: '/usr\n' });
    expect(await manage({ action: 'register', name: 'new', target: server.alias })).toMatchObject({ success: false, output: { error_kind: 'already_exists', state_changed: false } });
    const replaced = await manage({ action: 'register', name: 'new', target: server.alias, binding: added.output['binding'] });
    expect(replaced).toMatchObject({ success: true, output: { outcome: 'replaced', default_cwd: null } });
    expect(replaced.output['generation']).toBeGreaterThan(added.output['generation'] as number);
    expect((await call('run_shell', { session_id, command: 'pwd' })).output).toMatchObject({ stdout_tail: `${home}\n` });
    expect(await manage({ action: 'remove', binding: added.output['binding'] })).toMatchObject({ success: false, output: { error_kind: 'ssh_resource_not_found' } });
    expect(await manage({ action: 'remove', binding: replaced.output['binding'] })).toMatchObject({ success: true, output: { outcome: 'removed', name: 'new' } });
    expect(await call('run_shell', { session_id, command: 'true' })).toMatchObject({ success: false, output: { error_kind: 'ssh_resource_not_found', execution_state: 'not_started' } });
    expect((await manage({ action: 'list' })).output['resources']).toMatchObject([{ name: 'box', transport: 'openssh' }, { name: 'fast', transport: 'ssh2' }, { name: 'tmp', default_cwd: '/usr' }]);
    expect(JSON.parse(readFileSync(join(house.state, 'config.json'), 'utf8'))).toMatchObject({ runner: { env: 'inherit', ssh: { resources: { box: { host: server.alias } } } } });
  });

  it('take a name that every object has a member of', async () => {
    const added = await manage({ action: 'register', name: 'constructor', target: server.alias });
    expect(added.output).toMatchObject({ outcome: 'registered', name: 'constructor' });
    expect((await manage({ action: 'remove', name: 'constructor' })).output).toMatchObject({ outcome: 'removed' });
    expect((await manage({ action: 'register', name: '__proto__', target: server.alias })).output).toMatchObject({ error_kind: 'ssh_resource_invalid', field: 'name' });
  });

  it('take no bad name, target, folder, or part of a transport', async () => {
    const bad = async (args: Record<string, unknown>): Promise<unknown> => {
      const { output } = await manage({ action: 'register', name: 'x', target: 'y', ...args });
      return [output['error_kind'], output['field']];
    };
    for (const name of ['', 'a..b', 'a b', 'x'.repeat(81), '../x', '__proto__/']) expect(await bad({ name })).toEqual(['ssh_resource_invalid', 'name']);
    for (const target of ['', '-oProxyCommand=x', 'a\nb', 'a\u0000b', 'x'.repeat(513)]) expect(await bad({ target })).toEqual(['ssh_resource_invalid', 'target']);
    for (const default_cwd of ['', 'a\tb', 'x'.repeat(4_097)]) expect(await bad({ default_cwd })).toEqual(['ssh_resource_invalid', 'default_cwd']);
    for (const field of [{ port: 22 }, { user: 'me' }, { identity_file: '/k' }]) expect(await bad(field)).toEqual(['ssh_resource_invalid', Object.keys(field)[0]]);
    const ssh2 = { transport: 'ssh2', user: 'me' };
    expect(await bad({ transport: 'ssh2' })).toEqual(['ssh_resource_invalid', 'user']);
    for (const target of ['me@host', 'ssh://host', '-x', 'a b', '']) expect(await bad({ ...ssh2, target })).toEqual(['ssh_resource_invalid', 'target']);
    for (const port of [0, 65_536]) expect(await bad({ ...ssh2, port })).toEqual(['ssh_resource_invalid', 'port']);
    for (const identity_file of ['', 'key', 'a\n/b', '~me/key']) expect(await bad({ ...ssh2, identity_file })).toEqual(['ssh_resource_invalid', 'identity_file']);
    expect(await manage({ action: 'register', name: 'x' })).toMatchObject({ success: false, output: { error_kind: 'invalid_arguments' } });
  });

  it('are tried alone, and leave no connection behind', async () => {
    const before = masters();
    expect(await manage({ action: 'test', name: 'box' })).toMatchObject({
      success: true,
      output: { reachable: true, authenticated: true, multiplexed: true, home, reason_code: null, latency_ms: expect.any(Number) as number },
    });
    await until('its master is gone', () => masters().every((pid) => before.includes(pid)));
    expect(await manage({ action: 'test', name: 'fast' })).toMatchObject({ success: true, output: { reachable: true, authenticated: true, multiplexed: true, home, reason_code: null } });
    server.configure('Port 1');
    expect(await manage({ action: 'test', name: 'box' })).toMatchObject({ success: false, output: { error_kind: 'ssh_connection_failed', reachable: false, authenticated: null, reason_code: 'unreachable' } });
    server.configure('UserKnownHostsFile /dev/null');
    expect(await manage({ action: 'test', name: 'box' })).toMatchObject({ success: false, output: { reachable: true, authenticated: false, reason_code: 'host_key_unknown' } });
    server.configure();
  });

  it('come into force by a reload, whose generation is fenced; a bad file changes nothing', async () => {
    const path = join(house.state, 'config.json');
    const text = readFileSync(path, 'utf8');
    const { generation } = await daemon.output('check_runner_config', { client_id: 'local' });
    const edited = JSON.parse(text) as { runner: { ssh: { resources: Record<string, unknown> } } };
    edited.runner.ssh.resources['by-hand'] = { host: server.alias };
    writeFileSync(path, JSON.stringify(edited));
    expect(await daemon.output('check_runner_config', { client_id: 'local' })).toMatchObject({ valid: true, changed: true, restart_needed: false, generation });
    expect(await daemon.call('reload_runner_config', { client_id: 'local', expected_generation: 99 })).toMatchObject({ success: false, output: { error_kind: 'revision_conflict', generation } });
    expect(await daemon.output('reload_runner_config', { client_id: 'local', expected_generation: generation })).toMatchObject({ generation: Number(generation) + 1, state_changed: true });
    expect((await manage({ action: 'test', name: 'by-hand' })).success).toBe(true);
    writeFileSync(path, '{"runner": {"ssh": {"resources": {"x": {"host": "-x"}}}}}');
    expect(await daemon.output('check_runner_config', { client_id: 'local' })).toMatchObject({ valid: false, problem: expect.stringContaining('runner.ssh.resources.x.host') as string });
    expect(await daemon.call('reload_runner_config', { client_id: 'local', expected_generation: Number(generation) + 1 })).toMatchObject({ success: false, output: { error_kind: 'invalid_arguments' } });
    expect((await manage({ action: 'register', name: 'x', target: 'y' })).output).toMatchObject({ error_kind: 'invalid_arguments', reason_code: 'invalid_configuration' });
    expect((await manage({ action: 'test', name: 'by-hand' })).success).toBe(true);
    writeFileSync(path, text);
    expect(await daemon.output('reload_runner_config', { client_id: 'local', expected_generation: Number(generation) + 1 })).toMatchObject({ state_changed: true });
  });
});

describe('what is known of a host', () => {
  it('stands in no store, log or result', async () => {
    const bad = await sessionOn('box');
    server.configure('Port 1');
    expect(await call('run_shell', { session_id: bad, command: 'true' })).toMatchObject({ success: false, output: { error_kind: 'ssh_connection_failed', reason_code: 'unreachable', resource: 'box' } });
    server.configure();
    const hidden = { action: 'register', name: 'hidden', transport: 'ssh2', target: '127.0.0.1', port: server.port, user: 'wc-hidden-user' };
    const added = await manage({ ...hidden, identity_file: server.keyFile });
    expect(added.success).toBe(true);
    const session_id = await sessionOn('hidden');
    for (const tool of ['run_shell', 'run_job', 'open_session_shell']) {
      expect(await call(tool, { session_id, ...(tool === 'open_session_shell' ? {} : { command: 'true' }) })).toMatchObject({ success: false, output: { reason_code: 'authentication_failed' } });
    }
    expect(await manage({ action: 'test', name: 'hidden' })).toMatchObject({ success: false, output: { reason_code: 'authentication_failed', reachable: true, authenticated: false } });
    const missing = join(server.folder, 'no-such-key');
    expect(await manage({ ...hidden, identity_file: missing, binding: added.output['binding'] })).toMatchObject({ success: true, output: { outcome: 'replaced' } });
    expect(await call('run_shell', { session_id, command: 'true' })).toMatchObject({ success: false, output: { reason_code: 'identity_unusable' } });
    expect(await manage({ action: 'test', name: 'hidden' })).toMatchObject({ success: false, output: { reason_code: 'identity_unusable', reachable: null } });
    await call('close_session', { project: undefined, session_id });
    const secrets = [server.alias, server.keyFile, missing, server.knownHosts, server.configFile, 'wc-hidden-user', `${server.user}@`, `127.0.0.1:${server.port}`];
    const found = (text: string): string[] => secrets.filter((secret) => text.includes(secret));
    expect(found(JSON.stringify(answers))).toEqual([]);
    // The one place that a host is kept in.
    const files = filesUnder(house.state).filter((file) => file !== join(house.state, 'config.json'));
    expect(files.length).toBeGreaterThan(4);
    expect(files.flatMap((file) => found(readFileSync(file, 'latin1')).map((secret) => [file, secret]))).toEqual([]);
  });
});

function filesUnder(at: string): string[] {
  return readdirSync(at, { recursive: true, encoding: 'utf8' })
    .map((name) => join(at, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}
