import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../src/client/render/index.js';
import type { JsonObject, ToolResult } from '../../src/protocol/tool-result.js';
import { until } from '../runner/jobs/execution-house.js';
import { cliPlace, gitRepository, WC, type CliPlace, type Ended } from './cli.js';

let place: CliPlace;
let repository: string;
let session: string;
let project: string;

beforeAll(() => {
  place = cliPlace();
  repository = gitRepository(place);
  const begun = answerOf(place.wc(['work-on-project', 'shells', '--json'], { cwd: repository }));
  session = textOf(begun, 'session_id');
  project = textOf(begun, 'project');
}, 60_000);
afterAll(() => {
  place.close();
}, 60_000);

const answerOf = ({ out }: Ended): JsonObject => (JSON.parse(out) as ToolResult).output;
const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Ended =>
  place.wc(['shell', ...args], { cwd: repository, env: { WC_SESSION: session, ...env } });

interface OpenShell {
  /** What chooses it and its Session. */
  readonly env: { readonly WC_SESSION: string; readonly WC_SHELL: string };
  readonly exec: (...words: string[]) => Ended;
}

/** A Session of its own. */
const newSession = (): string => textOf(answerOf(place.wc(['start-session', '--project', project, '--json'])), 'session_id');

/** A shell of its own, in a Session of its own. */
function opened(...args: string[]): OpenShell {
  const WC_SESSION = newSession();
  const { code, out, err } = run(['open', ...args], { WC_SESSION });
  expect([code, err]).toEqual([0, '']);
  const env = { WC_SESSION, WC_SHELL: out.trim() };
  return { env, exec: (...words) => run(['exec', ...words], env) };
}
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

describe('a shell from the terminal', () => {
  it('keeps its state between commands, prints where they print, and ends with their codes', () => {
    const open = run(['open']);
    expect(open).toMatchObject({ code: 0, err: '' });
    expect(open.out).toMatch(/^wc_shell_[0-9a-f]{32}\n$/);
    const env = { WC_SHELL: open.out.trim() };
    expect(run(['exec', 'mkdir -p deep; cd deep; export A=1; f(){ echo "f $A"; }'], env)).toEqual({ code: 0, out: '', err: '' });
    expect(run(['exec', 'f; pwd; echo oops >&2; (exit 3)'], env)).toEqual({ code: 3, out: `f 1\n${repository}/deep\n`, err: 'oops\n' });
    expect(run(['exec', '--', 'printf', '[%s]', 'a b', "it's", '$A'], env)).toEqual({ code: 0, out: "[a b][it's][$A]", err: '' });
    expect(run(['status', open.out.trim()]).out).toMatch(/state\s+running\n[^]*folder\s+deep\n[^]*commands\s+3 commands/);
    expect(run(['close'], env)).toEqual({ code: 0, out: `Shell ${open.out.trim()} is closed.\n`, err: '' });
    expect(run(['close'], env)).toMatchObject({ code: 0, out: expect.stringContaining('was over already (closed by caller)') as string });
    const stale = run(['exec', 'true'], env);
    expect([stale.code, stale.out]).toEqual([125, '']);
    expect(stale.err).toContain('persistent_shell_stale');
  });

  it('takes the caller\'s environment along when it is opened', () => {
    const env = { WC_SESSION: newSession(), FROM_HERE: 'yes' };
    const shell = { ...env, WC_SHELL: run(['open'], env).out.trim() };
    expect(run(['exec', 'echo $FROM_HERE'], shell).out).toBe('yes\n');
    run(['close'], shell);
  });

  it('ends with 124 for a time-out, the code of its exit, and says when the shell is over', () => {
    const shell = opened();
    expect(shell.exec('trap : INT; sleep 30', '--timeout-secs', '1')).toMatchObject({ code: 124, out: '' });
    expect(shell.exec('echo on')).toEqual({ code: 0, out: 'on\n', err: '' });
    expect(shell.exec('exit 0')).toEqual({ code: 0, out: '', err: 'wc: the shell is over: shell process exited.\n' });
    expect(opened('--shell', 'sh').exec('exit 7')).toEqual({ code: 7, out: '', err: 'wc: the shell is over: shell process exited.\n' });
    expect(opened().exec('cd /')).toEqual({ code: 0, out: '', err: 'wc: the shell is over: cwd outside project.\n' });
  });

  it('prints one document with --json', () => {
    const shell = opened();
    const { code, out, err } = shell.exec('--json', 'echo hi; exit 4');
    expect([code, err]).toEqual([4, '']);
    expect(JSON.parse(out)).toMatchObject({ success: false, output: { error_kind: 'shell_exited', stdout_tail: 'hi\n', exit_code: 4 } });
  });

  it('ends with 2 for a mistake in the line, and names what is missing', () => {
    const unnamed = { code: 2, out: '', err: "wc: No shell is named: give its id, or set WC_SHELL to what 'wc shell open' printed.\n" };
    expect(['exec', 'status', 'close'].map((verb) => run([verb, ...(verb === 'exec' ? ['true'] : [])]))).toEqual([unnamed, unnamed, unnamed]);
    expect(run(['open'], { WC_SESSION: '' })).toMatchObject({ code: 2, err: expect.stringContaining('WC_SESSION') as string });
    expect(run(['exec', 'one', 'two'], { WC_SHELL: 'x' })).toMatchObject({ code: 2 });
  });

  it('passes output on whole and byte by byte as it comes', async () => {
    const shell = opened();
    expect(shell.exec('printf "\\377\\000\\376"; seq 1 100000').out.length).toBeGreaterThan(588_895);
    const slow = spawn(WC, ['shell', 'exec', 'echo first; while [ ! -e go-on ]; do sleep 0.05; done; echo second'], {
      cwd: repository,
      env: { ...place.env, ...shell.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let seen = '';
    slow.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    await until('the first line came', () => seen === 'first\n' || null);
    place.shell('touch go-on', { cwd: repository });
    expect(await new Promise((resolve) => slow.on('close', resolve))).toBe(0);
    expect(seen).toBe('first\nsecond\n');
  });

  it('interrupts the command with Ctrl-C, and the shell goes on where it traps that', async () => {
    const shell = opened();
    shell.exec('trap : INT');
    const child = spawn(WC, ['shell', 'exec', 'echo begun; sleep 60'], {
      cwd: repository,
      env: { ...place.env, ...shell.env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let seen = '';
    child.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    await until('it runs', () => seen === 'begun\n' || null);
    child.kill('SIGINT');
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(130);
    expect(shell.exec('echo on').out).toBe('on\n');
  });

  it('leaves the command running when the terminal goes away, and its status tells the end', async () => {
    const shell = opened();
    const child = spawn(WC, ['shell', 'exec', 'echo begun; sleep 1; echo done >survived; echo told'], {
      cwd: repository,
      env: { ...place.env, ...shell.env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let seen = '';
    child.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    await until('it runs', () => seen === 'begun\n' || null);
    child.kill('SIGKILL');
    await until('it went on', () => existsSync(join(repository, 'survived')) || null);
    const status = await until('it has ended', () => {
      const output = answerOf(run(['status', '--json'], shell.env));
      return output['busy'] === false ? output : null;
    });
    expect(status).toMatchObject({ last_command: { execution_state: 'completed', stdout_tail: 'begun\ntold\n' } });
  });
});

describe('a shell over MCP', () => {
  it('is reached through the gateway, and ends with its Session', async () => {
    const client = new Client({ name: 'shells', version: '1' });
    await client.connect(new StdioClientTransport({ command: WC, args: ['mcp'], env: { ...place.env } as Record<string, string> }));
    try {
      const call = async (tool: string, args: Record<string, unknown>): Promise<ToolResult> => {
        const { structuredContent } = await client.callTool({ name: 'call_runtime_tool', arguments: { tool, arguments: args } });
        return structuredContent as ToolResult;
      };
      const { structuredContent } = await client.callTool({ name: 'work_on_project', arguments: { client_id: 'local', path: repository, instruction: 'use a shell' } });
      const { session_id, project } = (structuredContent as ToolResult).output;
      const bound = { project, session_id };
      const { shell_id } = (await call('open_session_shell', bound)).output;
      expect(await call('execute_session_shell', { ...bound, shell_id, command: 'x=41; echo $$' })).toMatchObject({ success: true });
      const second = await call('execute_session_shell', { ...bound, shell_id, command: 'echo $((x + 1)) $$' });
      const [answer, pid] = textOf(second.output, 'stdout_tail').trim().split(' ');
      expect(answer).toBe('42');
      expect(await call('close_session', { session_id })).toMatchObject({ success: true, output: { persistent_shells_closed: 1 } });
      await until('the process is gone', () => !isAlive(Number(pid)) || null);
    } finally {
      await client.close();
    }
  }, 60_000);
});

describe('the end of the daemon', () => {
  it('takes every shell along', async () => {
    const shell = opened();
    const pid = Number(shell.exec('echo $$').out);
    expect(isAlive(pid)).toBe(true);
    expect(place.wc(['daemon', 'stop']).code).toBe(0);
    await until('the shell is gone', () => !isAlive(pid) || null);
  });
});

