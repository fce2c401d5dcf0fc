import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, type DaemonClient } from '../../src/client/index.js';
import type { ToolResult } from '../../src/protocol/tool-result.js';

const ROOT = join(import.meta.dirname, '..', '..');
const WC = join(ROOT, 'bin', 'webcodex');
const DAEMON = join(ROOT, 'dist', 'daemon', 'main.js');

let folder: string;
let env: Record<string, string>;
let clients: DaemonClient[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wc-faults-'));
  mkdirSync(join(folder, 'project'));
  execFileSync('git', ['init', '-q', join(folder, 'project')]);
  env = { PATH: process.env['PATH'] ?? '', HOME: folder, WC_HOME: join(folder, 'state') };
  clients = [];
});
afterEach(() => {
  for (const client of clients) client.close();
  spawnSync(WC, ['daemon', 'stop'], { env, stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

async function client(): Promise<DaemonClient> {
  const made = await connect({ adapter: 'cli', env });
  clients.push(made);
  return made;
}

async function workingClient(): Promise<{ readonly wc: DaemonClient; readonly sessionId: string }> {
  const wc = await client();
  const work = await wc.callTool('work_on_project', {
    arguments: { client_id: 'local', path: join(folder, 'project'), instruction: 'break it' },
  });
  return { wc, sessionId: work.output['session_id'] as string };
}

const shell = (command: string, more: Record<string, unknown> = {}): { arguments: Record<string, unknown> } => ({
  arguments: { project: 'project', command, ...more },
});

/** A command that leaves marks when it starts and when it ends, which it does once `go` is there. */
const marking = (marks: string, go: string): string => `echo started >> ${marks}; until [ -e ${go} ]; do sleep 0.05; done; echo ended >> ${marks}`;

describe('a caller that vanishes mid-call', () => {
  it('leaves its command running as a Job that says so, started once', async () => {
    const { wc } = await workingClient();
    const [marks, go] = [join(folder, 'marks'), join(folder, 'go')];
    const caller = spawn(WC, ['run-shell', '--project', 'project', marking(marks, go)], { env, stdio: 'ignore' });
    await until(() => existsSync(marks));
    caller.kill('SIGKILL');
    const jobs = await untilAsync(async () => {
      const listed = await wc.callTool('list_jobs', { arguments: {} });
      const found = listed.output['jobs'] as Record<string, unknown>[];
      return found.length > 0 ? found : null;
    });
    expect(jobs[0]).toMatchObject({ published_after_disconnect: true });
    writeFileSync(go, '');
    await until(() => readFileSync(marks, 'utf8').includes('ended'));
    expect(readFileSync(marks, 'utf8')).toBe('started\nended\n');
  });
});

describe('kill -9 mid-call', () => {
  it('of the Runner: the outcome is unknown, and the next call has a new Runner', async () => {
    const { wc } = await workingClient();
    const mark = join(folder, 'mark');
    const call = wc.callTool('run_shell', shell(`echo > ${mark}; sleep 60`, { timeout_secs: 60 }));
    await until(() => existsSync(mark));
    const { runner } = await wc.ensure();
    process.kill(runner?.pid ?? 0, 'SIGKILL');
    const result = await call;
    expect(result).toMatchObject({
      success: false,
      output: { error_kind: 'outcome_unknown', execution_state: 'outcome_unknown', state_changed: null },
    });
    const next = await wc.callTool('run_shell', shell('echo again'));
    expect(next.output['stdout_tail']).toBe('again\n');
  });

  it('of the daemon: the call says that it does not know, the Job goes on, and the next daemon has it', async () => {
    const { wc } = await workingClient();
    const [marks, go] = [join(folder, 'marks'), join(folder, 'go')];
    const started = await wc.callTool('run_job', shell(marking(marks, go)));
    const call = wc.callTool('run_shell', shell('sleep 30', { timeout_secs: 30 })).catch((error: unknown) => error);
    await until(() => existsSync(marks));
    const { pid } = await wc.ensure();
    process.kill(pid, 'SIGKILL');
    expect(await call).toMatchObject({ kind: 'connection_lost' });
    const listed = await wc.callTool('list_jobs', { arguments: {} }, { repeatable: true });
    const ids = (listed.output['jobs'] as { job_id: string }[]).map(({ job_id }) => job_id);
    expect(ids).toContain(started.output['job_id']);
    writeFileSync(go, '');
    await until(() => readFileSync(marks, 'utf8').includes('ended'));
    expect(readFileSync(marks, 'utf8')).toBe('started\nended\n');
  });
});

describe('an orderly stop', () => {
  it('answers a call that is under way', async () => {
    const { wc } = await workingClient();
    const mark = join(folder, 'mark');
    const call = wc.callTool('run_shell', shell(`echo > ${mark}; sleep 60`, { timeout_secs: 60 }));
    await until(() => existsSync(mark));
    const stop = spawn(WC, ['daemon', 'stop'], { env, stdio: 'ignore' });
    const result: ToolResult = await call;
    expect(result.success).toBe(false);
    expect(['cancelled', 'outcome_unknown']).toContain(result.output['execution_state']);
    await new Promise((resolve) => stop.on('close', resolve));
    expect(existsSync(join(folder, 'state', 'daemon.sock'))).toBe(false);
  });
});

describe('a start', () => {
  const start = (extra: Record<string, string> = {}): { readonly code: number | null; readonly said: string } => {
    const { status, stderr } = spawnSync(WC, ['list-tools', '--json'], { env: { ...env, ...extra }, encoding: 'utf8' });
    return { code: status, said: stderr };
  };

  it('refuses a configuration by the name of its key', () => {
    mkdirSync(join(folder, 'state'), { mode: 0o700 });
    writeFileSync(join(folder, 'state', 'config.json'), '{"runner": {"max_concurrent_jobs": 0}}');
    const { code, said } = start();
    expect(code).toBe(3);
    expect(said).toContain('runner.max_concurrent_jobs');
  });

  it('refuses a state folder that others can write, and says how to mend it', () => {
    mkdirSync(join(folder, 'state'));
    chmodSync(join(folder, 'state'), 0o777);
    const { code, said } = start();
    expect(code).toBe(3);
    expect(said).toContain('chmod 700');
  });

  it('works where the state folder has a path too long for a socket', () => {
    const long = join(folder, 'x'.repeat(120));
    const { code } = start({ WC_HOME: long });
    expect(code).toBe(0);
    expect(statSync(join(long, 'daemon.sock.path')).mode & 0o777).toBe(0o600);
    spawnSync(WC, ['daemon', 'stop'], { env: { ...env, WC_HOME: long } });
  });

  it('replaces a stale socket', () => {
    mkdirSync(join(folder, 'state'), { mode: 0o700 });
    writeFileSync(join(folder, 'state', 'daemon.sock'), '');
    expect(start().code).toBe(0);
  });

  it('has one winner when two daemons start at once, and the other says who holds the folder', async () => {
    const starts = [0, 1].map(
      () =>
        new Promise<{ readonly code: number | null; readonly said: string }>((resolve) => {
          const daemon = spawn(process.execPath, [DAEMON, '--detached'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
          let said = '';
          daemon.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
          daemon.on('close', (code) => resolve({ code, said }));
        }),
    );
    const loser = await Promise.race(starts);
    expect(loser.code).toBe(1);
    expect(loser.said).toMatch(/already serves|is just taking/);
    const health = await (await client()).ensure();
    expect(health.status).toBe('ok');
    spawnSync(WC, ['daemon', 'stop'], { env });
    await Promise.all(starts);
  });

  it('takes up after a crash: the audit knows of the gap', async () => {
    const wc = await client();
    const { pid } = await wc.ensure();
    await wc.callTool('list_tools', { arguments: {} });
    process.kill(pid, 'SIGKILL');
    await wc.callTool('list_tools', { arguments: {} }, { repeatable: true });
    const { body } = await wc.request('POST', '/api/audit/stats', {});
    expect(body).toMatchObject({ by_endpoint: { daemon: 1 } });
  });
});

describe('a full disk', () => {
  it('is said in one clear message, nothing is acknowledged, and the next call after the mend works', () => {
    const script = `
      set -e
      mount -t tmpfs -o size=6m tmpfs "$MNT"
      export WC_HOME="$MNT/state"
      session=$("${WC}" start-session --title full --json | node -pe 'JSON.parse(require("fs").readFileSync(0)).output.session_id')
      dd if=/dev/zero of="$MNT/fill" bs=4096 2>/dev/null || true
      n=0
      while "${WC}" list-tools --summary-only --json --record "$session" > "$OUT/full.json" && [ $n -lt 400 ]; do n=$((n + 1)); done
      rm "$MNT/fill"
      "${WC}" list-tools --summary-only --json --record "$session" > "$OUT/mended.json"
      "${WC}" read-session-summary --session "$session" --json > "$OUT/summary.json"
      "${WC}" daemon stop
    `;
    const mount = join(folder, 'mount');
    mkdirSync(mount);
    const run = spawnSync('unshare', ['-rm', 'sh', '-c', script], {
      env: { ...env, MNT: mount, OUT: folder },
      encoding: 'utf8',
    });
    expect(run.stderr).toBe('');
    const read = (name: string): ToolResult => JSON.parse(readFileSync(join(folder, name), 'utf8')) as ToolResult;
    const full = read('full.json');
    expect(full.output).toMatchObject({ error_kind: 'storage_unavailable', state_changed: false });
    expect((full as { error: string }).error).toContain('free space');
    const mended = read('mended.json');
    expect(mended.success).toBe(true);
    const events = read('summary.json').output['events'] as { event_id: string; kind: string; status: string }[];
    expect(events.at(-1)).toMatchObject({ event_id: mended.output['session_event_id'], status: 'succeeded' });
    expect(events.filter(({ kind }) => kind === 'tool_call_finished').every(({ status }) => status === 'succeeded')).toBe(true);
  }, 120_000);
});

describe('plain HTTP on the socket', () => {
  it('calls a tool and reads audit stats with curl', async () => {
    await (await client()).callTool('list_tools', { arguments: {} });
    const curl = (path: string, body: string): unknown =>
      JSON.parse(
        execFileSync('curl', ['-s', '--unix-socket', join(folder, 'state', 'daemon.sock'), `http://wc${path}`, '-d', body], {
          encoding: 'utf8',
        }),
      );
    expect(curl('/api/tools/list_tools', '{"arguments":{"summary_only":true}}')).toMatchObject({ success: true });
    expect(curl('/api/audit/stats', '{}')).toMatchObject({ by_endpoint: { '/api/tools/{name}': 2 } });
  });
});

async function until(fact: () => boolean): Promise<void> {
  await untilAsync(async () => (fact() ? true : null));
}

async function untilAsync<T>(fact: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const found = await fact();
    if (found !== null) return found;
    if (performance.now() > deadline) throw new Error('the awaited fact did not come');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
