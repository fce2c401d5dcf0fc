import { readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../src/client/render/index.js';
import type { ToolResult } from '../../src/protocol/tool-result.js';
import { until } from '../runner/jobs/execution-house.js';
import { processes, startSshServer, type SshServer } from '../runner/ssh/ssh-server.js';
import { cliPlace, gitRepository, WC, type CliPlace, type Ended } from './cli.js';

let server: SshServer;
let place: CliPlace;
let repository: string;
let env: NodeJS.ProcessEnv;
/** Where the login shell of the other side begins. */
const home = realpathSync(userInfo().homedir);

beforeAll(async () => {
  server = await startSshServer();
  place = cliPlace();
  env = { PATH: `${server.bin}${delimiter}${process.env['PATH'] ?? ''}`, HOME: server.home };
  repository = gitRepository(place);
  // The test's own ssh is on the PATH that the daemon has, and not on the login shell's.
  place.shell(`mkdir -p ${place.home} && chmod 700 ${place.home}`);
  writeFileSync(join(place.home, 'config.json'), '{"runner": {"env": "inherit", "max_shells": 3}}\n', { mode: 0o600 });
}, 60_000);
afterAll(async () => {
  place.close();
  await server.stop();
}, 60_000);

const wc = (args: readonly string[], more: NodeJS.ProcessEnv = {}): Ended => place.wc(args, { cwd: repository, env: { ...env, ...more } });

describe('SSH resources from the terminal', () => {
  it('are added, listed, shown, tried and removed', () => {
    expect(wc(['ssh', 'list'])).toMatchObject({ code: 0, out: expect.stringContaining('There are no SSH resources') as string });
    expect(wc(['ssh', 'add', 'box', '--host', server.alias])).toEqual({ code: 0, out: 'The resource box is registered.\n', err: '' });
    expect(wc(['ssh', 'add', 'box', '--host', server.alias]).out).toBe('The resource box is there already.\n');
    const taken = wc(['ssh', 'add', 'box', '--host', 'another', '--default-cwd', '/usr']);
    expect([taken.code, taken.out]).toEqual([1, '']);
    expect(wc(['ssh', 'add', 'box', '--host', server.alias, '--default-cwd', '/usr', '--replace']).out).toBe('The resource box is replaced.\n');
    expect(wc(['ssh', 'list']).out).toMatch(/resource\s+transport\s+folder\nbox\s+openssh\s+\/usr\n/i);
    expect(wc(['ssh', 'show', 'box']).out).toMatch(/resource\s+box\n.*openssh\n[^]*binding\s+wc_sbind_[0-9a-f]{32}\n/);
    const tried = wc(['ssh', 'test', 'box']);
    expect([tried.code, tried.err]).toEqual([0, '']);
    expect(tried.out).toMatch(new RegExp(`^reachable\\s+yes\\nauthenticated\\s+yes\\nmultiplexed\\s+yes\\nshell\\s+/.*\\nhome\\s+${home}\\nlatency\\s+\\d+ ms \\(handshake \\d+ ms\\)\\n$`));
    const direct = ['ssh', 'add', 'fast', '--transport', 'ssh2', '--host', '127.0.0.1', '--port', String(server.port), '--user', server.user, '--identity-file', server.keyFile];
    expect(wc(direct)).toEqual({ code: 0, out: 'The resource fast is registered.\n', err: '' });
    expect(wc(['ssh', 'test', 'fast']).out).toMatch(new RegExp(`^reachable\\s+yes\\nauthenticated\\s+yes\\nmultiplexed\\s+yes\\nshell\\s+/.*\\nhome\\s+${home}\\n`));
    expect(wc(['ssh', 'show', 'nothing'])).toMatchObject({ code: 1, out: '' });
    expect(wc(['ssh', 'add', 'bad', '--host', '-oX'])).toMatchObject({ code: 1 });
    wc(['ssh', 'add', 'gone', '--host', 'no-such-host.invalid']);
    const failed = wc(['ssh', 'test', 'gone']);
    expect([failed.code, failed.out]).toEqual([1, expect.stringMatching(/^reachable\s+no \(name not resolved\)\nauthenticated\s+-\nmultiplexed\s+-\nshell\s+-\n/)]);
    expect(failed.out + failed.err).not.toContain('invalid.');
    expect(wc(['ssh', 'remove', 'gone']).out).toBe('The resource gone is removed.\n');
  }, 60_000);

  it('run what the terminal runs, with its output and its codes', async () => {
    const begun = JSON.parse(wc(['work-on-project', 'remote work', '--json']).out) as ToolResult;
    const project = textOf(begun.output, 'project');
    const started = JSON.parse(wc(['start-session', '--project', project, '--execution-context', '{"resource":"box"}', '--json']).out) as ToolResult;
    const on = { WC_SESSION: textOf(started.output, 'session_id'), WC_PROJECT: project };
    expect(wc(['run-shell', 'pwd; echo err >&2; exit 255'], on)).toEqual({ code: 255, out: '/usr\n', err: 'err\n' });
    expect(wc(['run-shell', '--cwd', '/no/such', 'true'], on)).toMatchObject({ code: 125, out: '', err: expect.stringContaining('ssh_remote_cwd_invalid') as string });
    expect(wc(['run-shell', '--timeout-secs', '1', 'sleep 87.5'], on).code).toBe(124);
    const direct = JSON.parse(wc(['start-session', '--project', project, '--execution-context', '{"resource":"fast"}', '--json']).out) as ToolResult;
    for (const session of [on, { ...on, WC_SESSION: textOf(direct.output, 'session_id') }]) {
      expect(place.wc(['run-shell', 'cat'], { cwd: repository, env: { ...env, ...session }, input: 'piped\n' }).out).toBe('piped\n');
    }
    const interrupted = spawn(WC, ['run-shell', 'echo begun; sleep 86.5'], { cwd: repository, env: { ...place.env, ...env, ...on }, stdio: ['ignore', 'pipe', 'ignore'] });
    let seen = '';
    interrupted.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    await until('it runs', () => seen === 'begun\n' || null);
    interrupted.kill('SIGINT');
    expect(await new Promise((resolve) => interrupted.on('close', resolve))).toBe(130);
    await until('it is gone there', () => processes().every(({ args }) => args !== 'sleep 86.5' && args !== 'sleep 87.5'));
    const shell = wc(['shell', 'open'], on).out.trim();
    expect(wc(['shell', 'exec', 'cd /usr; x=1; (exit 9)'], { ...on, WC_SHELL: shell }).code).toBe(9);
    expect(wc(['shell', 'exec', 'echo "$x"; pwd'], { ...on, WC_SHELL: shell }).out).toBe('1\n/usr\n');
  }, 60_000);

  it('have their connections ended by the next Runner when one was killed', async () => {
    const begun = JSON.parse(wc(['work-on-project', 'more remote work', '--json']).out) as ToolResult;
    const project = textOf(begun.output, 'project');
    const started = JSON.parse(wc(['start-session', '--project', project, '--execution-context', '{"resource":"box"}', '--json']).out) as ToolResult;
    const on = { WC_SESSION: textOf(started.output, 'session_id'), WC_PROJECT: project };
    expect(wc(['run-shell', 'true'], on).code).toBe(0);
    const masters = (): readonly number[] => processes().flatMap(({ pid, args }) => (args.includes(server.configFile) && args.includes(' -M ') ? [pid] : []));
    const old = masters();
    expect(old.length).toBeGreaterThan(0);
    const { runner } = JSON.parse(wc(['daemon', 'status', '--json']).out) as { runner: { pid: number } };
    process.kill(runner.pid, 'SIGKILL');
    expect(wc(['run-shell', 'echo again'], on)).toMatchObject({ code: 0, out: 'again\n' });
    await until('the old masters are gone', () => masters().every((pid) => !old.includes(pid)));
  }, 60_000);

  it('leave nothing behind when the daemon ends', async () => {
    expect(wc(['daemon', 'stop']).code).toBe(0);
    await until('every ssh is gone', () => processes().every(({ args }) => !args.includes(server.configFile)));
    await until('every connection is gone', () => server.sessions().length === 0);
  });

  it('stand in no file but the configuration', () => {
    const files = readdirSync(place.home, { recursive: true, encoding: 'utf8' }).filter((name) => name !== 'config.json' && statSync(join(place.home, name)).isFile());
    expect(files).toEqual(expect.arrayContaining(['ledger.db', 'audit.db']));
    const secrets = [server.alias, server.keyFile, server.configFile, server.knownHosts, 'no-such-host.invalid', `127.0.0.1:${server.port}`];
    const held = files.flatMap((name) => secrets.filter((secret) => readFileSync(join(place.home, name), 'latin1').includes(secret)).map((secret) => [name, secret]));
    expect(held).toEqual([]);
  });
});
