import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, type DaemonClient } from '../../src/client/index.js';
import type { Progress } from '../../src/protocol/api.js';
import type { JsonObject, ToolResult } from '../../src/protocol/tool-result.js';
import { executionHouse } from '../runner/jobs/execution-house.js';

const WC = join(import.meta.dirname, '..', '..', 'bin', 'webcodex');
/** What the wait for a fact may take on a machine that is busy. */
const WITHIN = { timeout: 20_000, interval: 25 };

let folder: string;
let project: string;
let env: Record<string, string>;
let wc: DaemonClient;
let mcp: Client;
/** Calls over MCP that take most of a minute; they run beside everything else. */
let slow: { readonly run: Promise<Timed>; readonly observation: Promise<Timed> };

interface Timed {
  readonly output: JsonObject;
  readonly tookMs: number;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wc-decisions-'));
  project = join(folder, 'project');
  mkdirSync(project);
  execFileSync('git', ['init', '-q', project]);
  for (const file of ['.profile', '.bash_profile', '.zprofile']) {
    writeFileSync(join(folder, file), 'export FROM_LOGIN=yes\nexport PATH="$HOME/mine:$PATH"\n');
  }
  env = { PATH: process.env['PATH'] ?? '', HOME: folder, WC_HOME: join(folder, 'state') };
  wc = await connect({ adapter: 'http', env });
  await wc.callTool('register_project', { arguments: { client_id: 'local', path: project, name: 'project' } });
  mcp = await mcpClient();
  slow = {
    run: timed('run_shell', { project: 'project', command: 'echo started >> starts; sleep 60', timeout_secs: 60, sync_wait_secs: 60 }),
    observation: job('sleep 120').then((job_id) => timed('wait_for_job_readiness', { job_ids: [job_id], mode: 'all', wait_secs: 45 })),
  };
});
afterAll(async () => {
  await mcp.close();
  wc.close();
  execFileSync(WC, ['daemon', 'stop'], { env, stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

async function mcpClient(): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, {});
  await client.connect(new StdioClientTransport({ command: WC, args: ['mcp'], env }));
  return client;
}

async function timed(name: string, args: Record<string, unknown>): Promise<Timed> {
  const begin = performance.now();
  const { structuredContent } = await mcp.callTool({ name, arguments: args });
  return { output: (structuredContent as { output: JsonObject }).output, tookMs: performance.now() - begin };
}

const call = (name: string, args: Record<string, unknown>): Promise<ToolResult> => wc.callTool(name, { arguments: args });
const run = async (command: string, more: Record<string, unknown> = {}): Promise<JsonObject> =>
  (await call('run_shell', { project: 'project', command, ...more })).output;
async function job(command: string): Promise<string> {
  const { output } = await call('run_job', { project: 'project', command });
  return output['job_id'] as string;
}
async function listed(jobId: string): Promise<JsonObject | undefined> {
  const { output } = await call('list_jobs', {});
  return (output['jobs'] as readonly JsonObject[]).find((one) => one['job_id'] === jobId);
}
const wrote = (name: string): string => (existsSync(join(project, name)) ? readFileSync(join(project, name), 'utf8') : '');

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.startsWith('Z') !== true;
  } catch {
    return false;
  }
}
async function pidFrom(name: string): Promise<number> {
  await expect.poll(() => wrote(name), WITHIN).toMatch(/^\d+\n$/);
  return Number(wrote(name));
}
async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('[00-D25] a cancel is not a lost connection', () => {
  it('a cancel of the call ends its tree, and it is no Job', async () => {
    const cancel = new AbortController();
    const ending = wc.callTool('run_shell', { arguments: { project: 'project', command: 'sleep 100 & echo $! > cancelled; wait' } }, { signal: cancel.signal });
    const pid = await pidFrom('cancelled');
    cancel.abort();
    expect((await ending).output).toMatchObject({ error_kind: 'cancelled', execution_state: 'cancelled', command_completed: false });
    expect(isAlive(pid)).toBe(false);
    const { output } = await call('list_jobs', {});
    expect(JSON.stringify(output)).not.toContain('> cancelled');
  });

  it('a client of MCP that is killed leaves its work as a Job that says so', async () => {
    const client = spawn(WC, ['mcp'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    const send = (message: object): unknown => client.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } } });
    send({ method: 'notifications/initialized' });
    const command = 'echo $$ > vanished; sleep 100';
    send({ id: 2, method: 'tools/call', params: { name: 'run_shell', arguments: { project: 'project', command } } });
    const pid = await pidFrom('vanished');
    client.kill('SIGKILL');
    const left = await expect
      .poll(async () => ((await call('list_jobs', {})).output['jobs'] as readonly JsonObject[]).find((one) => one['command_preview'] === command), WITHIN)
      .toMatchObject({ published_after_disconnect: true, status: 'running' })
      .then(async () => ((await call('list_jobs', {})).output['jobs'] as readonly JsonObject[]).find((one) => one['command_preview'] === command));
    expect(isAlive(pid)).toBe(true);
    await call('stop_job', { project: 'project', job_id: left?.['job_id'], confirm: true });
    expect(isAlive(pid)).toBe(false);
  });
});

describe('[00-D26] what ended with a command is said', () => {
  it('how many there were, and what to use instead', async () => {
    expect(await run('sleep 100 & sleep 100 & echo a')).toMatchObject({
      stdout_tail: 'a\n',
      descendants_ended: 2,
      descendants_note: expect.stringContaining('run_job') as string,
    });
  });

  it('a survivor that holds the output is named', async () => {
    const output = await run('setsid env -i sleep 100 & echo $! > escaped; sleep 0.3; echo a');
    const pid = Number(wrote('escaped'));
    try {
      expect(output).toMatchObject({ execution_state: 'completed', exit_code: 0, stdout_tail: 'a\n', output_incomplete: true, survivor_pids: [pid] });
    } finally {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
  });
});

describe('[00-D27] the whole output', () => {
  it('the error on line 3 of 5,000 is read back without a second run, from a terminal too', async () => {
    const output = await run('echo run >> runs; seq 1 2; echo ERROR here; seq 4 5000; exit 1');
    expect(output).toMatchObject({ exit_code: 1, stdout_lines: 5_000, stdout_truncated: true, stdout_range: { last_line: 5_000 } });
    expect(output['stdout_tail']).not.toContain('ERROR');
    const read = await call('read_job_output', { output_id: output['output_id'], start_line: 3, limit: 1 });
    expect(read.output).toMatchObject({ text: 'ERROR here\n', first_line: 3, last_line: 3, total_lines: 5_000, ended: true });
    const job_id = await job('seq 1 2; echo ERROR here; seq 4 5000');
    await call('wait_for_job_readiness', { job_ids: [job_id], mode: 'all', wait_secs: 20 });
    const whole = execFileSync(WC, ['job', 'logs', job_id, '--full'], { env, encoding: 'utf8' }).split('\n');
    expect([whole.length, whole[2]]).toEqual([5_001, 'ERROR here']);
    expect(wrote('runs')).toBe('run\n');
  });
});

describe('[00-D28] ready means ready', () => {
  it('a dev server: started, awaited by its port, used, alive after kill -9 of the daemon, gone within 2 s of the stop', async () => {
    const port = await freePort();
    const source = `require('http').createServer((q, r) => r.end('hello\\n')).listen(${port}, '127.0.0.1')`;
    const job_id = await job(`echo $$ > server.pid; sleep 0.5; exec node -e "${source}"`);
    const ready = await call('wait_for_job_readiness', { job_ids: [job_id], mode: 'all', wait_secs: 20, ready_when: { tcp_port: port } });
    expect(ready.output).toMatchObject({ wait_state: 'ready', ready: [{ job_id, status: 'running', outcome: null, ready_reason: 'port' }] });
    const get = `node -e "require('http').get('http://127.0.0.1:${port}', (r) => r.pipe(process.stdout))"`;
    expect(await run(get)).toMatchObject({ exit_code: 0, stdout_tail: 'hello\n' });

    // The slow calls of this file hang on the daemon: it is another one's turn to be killed.
    const other = { ...env, WC_HOME: join(folder, 'other-state') };
    const second = await connect({ adapter: 'http', env: other });
    try {
      await second.callTool('register_project', { arguments: { client_id: 'local', path: project, name: 'project' } });
      const otherPort = await freePort();
      const started = await second.callTool('run_job', { arguments: { project: 'project', command: `echo $$ > other.pid; exec node -e "${source.replace(String(port), String(otherPort))}"` } });
      const id = started.output['job_id'];
      const pid = await pidFrom('other.pid');
      process.kill((await second.ensure()).pid, 'SIGKILL');
      const awaited = await second.callTool('wait_for_job_readiness', { arguments: { job_ids: [id], mode: 'all', wait_secs: 20, ready_when: { tcp_port: otherPort } } }, { repeatable: true });
      expect(awaited.output).toMatchObject({ wait_state: 'ready', ready: [{ job_id: id, ready_reason: 'port' }] });
      expect(isAlive(pid)).toBe(true);
      const used = await second.callTool('run_shell', { arguments: { project: 'project', command: get.replace(String(port), String(otherPort)) } });
      expect(used.output).toMatchObject({ exit_code: 0, stdout_tail: 'hello\n' });
      const begin = performance.now();
      await second.callTool('stop_job', { arguments: { project: 'project', job_id: id, confirm: true } });
      await expect.poll(() => isAlive(pid), WITHIN).toBe(false);
      expect(performance.now() - begin).toBeLessThan(2_000);
    } finally {
      second.close();
      execFileSync(WC, ['daemon', 'stop'], { env: other, stdio: 'ignore' });
    }
    const pid = await pidFrom('server.pid');
    const begin = performance.now();
    await call('stop_job', { project: 'project', job_id, confirm: true });
    await expect.poll(() => isAlive(pid), WITHIN).toBe(false);
    expect(performance.now() - begin).toBeLessThan(2_000);
  });
});

describe('[00-D29] children never prompt', () => {
  it('git clone from a server that asks for a password ends by itself', async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.writeHead(401, { 'www-authenticate': 'Basic realm="private"' }).end();
    });
    const port = await listening(server);
    try {
      const output = await run(`git clone http://127.0.0.1:${port}/private.git`, { timeout_secs: 20 });
      expect(output).toMatchObject({ execution_state: 'completed', exit_code: 128, failure_kind: 'command_exit_nonzero' });
      expect(output['stderr_tail']).toMatch(/terminal prompts disabled|could not read Username/);
      expect(asked).toBeGreaterThan(0);
    } finally {
      server.close();
    }
  });

  it('an editor fails at once, and standard input is at its end', async () => {
    const commit = 'git -c user.name=t -c user.email=t@localhost commit --allow-empty';
    expect(await run(commit, { timeout_secs: 20 })).toMatchObject({ execution_state: 'completed', command_ok: false });
    expect(await run('read -r line; echo "$?:$line"', { timeout_secs: 20 })).toMatchObject({ stdout_tail: '1:\n' });
    expect(await run('echo "$GIT_TERMINAL_PROMPT $SSH_ASKPASS_REQUIRE ${SSH_ASKPASS-none} ${SUDO_ASKPASS-none}"')).toMatchObject({ stdout_tail: '0 never none none\n' });
  });
});

describe('[00-D30] environment and PATH', () => {
  it("is the user's login environment, whoever started the daemon and whoever calls", async () => {
    expect(await run('echo "$FROM_LOGIN ${PATH%%:*} ${WC_HOME-none}"')).toMatchObject({ stdout_tail: `yes ${folder}/mine none\n` });
    const { output } = await timed('run_process', { project: 'project', executable: 'printenv', args: ['FROM_LOGIN'] });
    expect(output).toMatchObject({ stdout_tail: 'yes\n' });
  });

  it('a program that is not found names the PATH that was searched', async () => {
    const { output } = await call('run_process', { project: 'project', executable: 'no-such-program-anywhere' });
    expect(output).toMatchObject({ error_kind: 'spawn_failed', execution_state: 'not_started', command_started: false });
    const path = (await run('printf %s "$PATH"'))['stdout_tail'] as string;
    expect(output['hint']).toBe(`The PATH that was searched: ${path}`);
  });
});

describe('[00-D31] clocks', () => {
  it('a wall clock that jumps ends nothing early, and delays no end', async () => {
    let offset = 0;
    const house = await executionHouse({ wallClock: () => Date.now() + offset });
    try {
      const ending = house.shell('sleep 1; echo whole', { timeout_ms: 10_000 });
      const late = house.shell('sleep 100', { timeout_ms: 1_000 });
      offset = 30 * 24 * 3_600_000;
      expect(await ending).toMatchObject({ execution_state: 'completed', stdout: { text: 'whole\n' } });
      offset = -offset;
      const timedOut = await late;
      expect(timedOut).toMatchObject({ execution_state: 'timed_out' });
      expect(timedOut.duration_ms).toBeGreaterThanOrEqual(1_000);
      expect(timedOut.duration_ms).toBeLessThan(8_000);
    } finally {
      await house.close();
    }
  });
});

describe('[00-D24] clients give up at 60 s', () => {
  it('a progress token brings the end of what is printed, and nothing after the result', async () => {
    const heard: Progress[] = [];
    const done = await mcp.callTool(
      { name: 'run_shell', arguments: { project: 'project', command: 'echo a; sleep 0.2; echo b' } },
      { onprogress: ({ message }) => heard.push({ message: message ?? '' }) },
    );
    const by = heard.length;
    expect(done.structuredContent).toMatchObject({ output: { stdout_tail: 'a\nb\n' } });
    expect(by).toBeLessThanOrEqual(1);
  });

  it('a command of 60 s answers within 45 s as a Job that is the same process; waits are cut and say so', { timeout: 90_000 }, async () => {
    const { output, tookMs } = await slow.run;
    expect(tookMs).toBeLessThan(45_000);
    expect(output).toMatchObject({ execution_state: 'running', terminal: false, job_status: 'running', promoted_to_job: true, effective_timeout_secs: 60 });
    expect(await listed(output['job_id'] as string)).toMatchObject({ execution_source: 'run_shell' });
    expect(wrote('starts')).toBe('started\n');
    const observed = await slow.observation;
    expect(observed.tookMs).toBeLessThan(45_000);
    expect(observed.output).toMatchObject({ wait_state: 'deadline', effective_wait_secs: 44 });
    expect(output['continuation']).toMatchObject({ tool: 'observe_jobs', arguments: { items: [{ job_id: output['job_id'] }] } });
  });
});
