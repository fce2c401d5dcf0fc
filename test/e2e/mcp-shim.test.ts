import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, ProtocolError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHolder } from '../../src/daemon/lock.js';
import { statePaths } from '../../src/protocol/state-folder.js';

const WC = join(import.meta.dirname, '..', '..', 'bin', 'webcodex');
const MODES = ['legacy', 'stateless'] as const;
type Mode = (typeof MODES)[number];

let folder: string;
let env: Record<string, string>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wc-mcp-'));
  mkdirSync(join(folder, 'project'));
  execFileSync('git', ['init', '-q', join(folder, 'project')]);
  writeFileSync(join(folder, 'project', 'a.txt'), 'one\ntwo\n');
  env = { PATH: process.env['PATH'] ?? '', HOME: folder, WC_HOME: join(folder, 'state') };
});
afterAll(() => {
  execFileSync(WC, ['daemon', 'stop'], { env, stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

async function connectClient(mode: Mode | 'auto', more: Record<string, string> = {}): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    mode === 'legacy'
      ? {}
      : { versionNegotiation: { mode: mode === 'auto' ? 'auto' : { pin: '2026-07-28' } } },
  );
  await client.connect(new StdioClientTransport({ command: WC, args: ['mcp'], env: { ...env, ...more } }));
  return client;
}

async function callOutput(client: Client, name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const result = await client.callTool({ name, arguments: args });
  return (result.structuredContent as { output: Record<string, unknown> }).output;
}

/** The one audit session that there is. */
function soleSession(own: Record<string, string>): string {
  const { sessions } = JSON.parse(execFileSync(WC, ['audit', 'sessions', '--json'], { env: own, encoding: 'utf8' })) as { sessions: { session_id: string }[] };
  return sessions[0]?.session_id ?? '';
}

describe.each(MODES)('wc mcp, %s era, with the official client', (mode) => {
  it('lists the direct tools within 32 kB, without a daemon, the same for every connection', async () => {
    const elsewhere = { WC_HOME: join(folder, `no-daemon-${mode}`) };
    const client = await connectClient(mode, elsewhere);
    const { tools } = await client.listTools();
    const again = await (async () => {
      const other = await connectClient(mode, elsewhere);
      const listed = await other.listTools();
      await other.close();
      return listed;
    })();
    await client.close();
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(32_000);
    expect(again.tools).toEqual(tools);
    expect(tools.map(({ name }) => name)).toContain('call_runtime_tool');
    expect(tools[0]?.name).toBe('work_on_project');
    for (const { name, inputSchema, annotations } of tools) {
      expect(name).toMatch(/^[a-z0-9_]{1,50}$/);
      expect(inputSchema.type).toBe('object');
      for (const union of ['oneOf', 'anyOf', 'allOf', '$ref']) expect(inputSchema).not.toHaveProperty(union);
      expect(Object.keys(inputSchema.properties ?? {})).toContain(mode === 'legacy' ? 'recording_session_id' : '_wc');
      expect(Object.keys(annotations ?? {}).sort()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
      ]);
    }
    expect(existsSync(join(folder, `no-daemon-${mode}`))).toBe(false);
  });

  it('[05-A21] has one audit row of a list, with the sizes that the client saw', async () => {
    const home = join(folder, `listed-${mode}`);
    const own = { ...env, WC_HOME: home };
    const client = await connectClient(mode, { WC_HOME: home });
    const listed = await client.listTools();
    expect(existsSync(home)).toBe(false);
    // The call starts a daemon, which then learns of the list.
    await callOutput(client, 'read_tool_manifest', { tool_name: 'run_shell' });
    await client.close();
    const { events } = JSON.parse(execFileSync(WC, ['audit', 'session', soleSession(own), '--json', '--tool', 'mcp_tools_list'], { env: own, encoding: 'utf8' })) as {
      events: Record<string, unknown>[];
    };
    execFileSync(WC, ['daemon', 'stop'], { env: own, stdio: 'ignore' });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ endpoint: '/mcp', action_name: 'toolsList', status: 'success' });
    const { tool_surface: surface } = events[0]?.['summary'] as { tool_surface: Record<string, unknown> };
    expect(surface).toMatchObject({
      protocol_era: mode === 'legacy' ? 'legacy' : 'stateless_2026',
      tool_count: listed.tools.length,
      serialized_tools_bytes: Buffer.byteLength(JSON.stringify(listed.tools)),
      gateway_tool_included: true,
    });
    expect(Number(surface['serialized_result_bytes'])).toBeGreaterThan(Number(surface['serialized_tools_bytes']));
  });

  it('tells the model how to begin, in fewer than 2,048 characters', async () => {
    const client = await connectClient(mode);
    const told = client.getInstructions() ?? '';
    await client.close();
    expect(told).toContain('work_on_project');
    expect([...told].length).toBeLessThan(2_048);
  });

  it('gives every result twice, with the same facts', async () => {
    const client = await connectClient(mode);
    const good = await client.callTool({ name: 'read_tool_manifest', arguments: { tool_name: 'run_process' } });
    const bad = await client.callTool({ name: 'read_tool_manifest', arguments: { nonsense: 1 } });
    await client.close();
    for (const result of [good, bad]) {
      const [text] = result.content as { type: string; text: string }[];
      expect(JSON.parse(text?.text ?? '')).toEqual(result.structuredContent);
    }
    expect([good.isError ?? false, bad.isError]).toEqual([false, true]);
    expect(bad.structuredContent).toMatchObject({ success: false, output: { error_kind: 'invalid_arguments' } });
  });

  it('answers unknown tools with a protocol error, whatever their name', async () => {
    const client = await connectClient(mode);
    for (const name of ['no_such_tool', 'constructor', '__proto__', 'start_coding_task']) {
      const error: unknown = await client.callTool({ name, arguments: {} }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ProtocolError);
      expect((error as ProtocolError).code).toBe(-32602);
    }
    await client.close();
  });

  it('records a call in the Session that is named, by the form of its era', async () => {
    const client = await connectClient(mode);
    const { session_id: sessionId } = await callOutput(client, 'work_on_project', {
      client_id: 'local',
      path: join(folder, 'project'),
      instruction: `record in the ${mode} era`,
    });
    const recorder = mode === 'legacy' ? { recording_session_id: sessionId } : { _wc: { record: sessionId } };
    const other = mode === 'legacy' ? { _wc: { record: sessionId } } : { recording_session_id: sessionId };
    const recorded = await callOutput(client, 'read_tool_manifest', { ...recorder, tool_name: 'run_shell' });
    const refused = await callOutput(client, 'read_tool_manifest', { ...other, tool_name: 'run_shell' });
    const summary = await callOutput(client, 'call_runtime_tool', {
      tool: 'read_session_summary',
      arguments: { session_id: sessionId },
    });
    await client.close();
    expect(recorded).toMatchObject({ session_recorded: true, session_id: sessionId });
    expect(refused['error_kind']).toBe('invalid_arguments');
    expect((summary['events'] as { kind: string; transport: string }[]).map((event) => [event.kind, event.transport])).toEqual(
      ['task_instruction', 'tool_call_started', 'tool_call_finished'].map((kind) => [
        kind,
        mode === 'legacy' ? 'mcp_legacy' : 'mcp_2026',
      ]),
    );
  });

  it('ends the process tree of a call that the client cancels', async () => {
    const client = await connectClient(mode);
    const marker = join(folder, `cancel-${mode}`);
    const cancel = new AbortController();
    const call = client
      .callTool(
        {
          name: 'run_shell',
          arguments: { project: 'project', command: `echo $$ > ${marker}; exec sleep 100`, timeout_secs: 100 },
        },
        { signal: cancel.signal },
      )
      .catch(() => 'cancelled');
    await until(() => existsSync(marker) && readFileSync(marker, 'utf8').trim() !== '');
    const pid = Number(readFileSync(marker, 'utf8'));
    cancel.abort();
    expect(await call).toBe('cancelled');
    await until(() => !isAlive(pid));
    await client.close();
  });
});

describe('wc mcp', () => {
  it('speaks the newer era to a client that asks which there is', async () => {
    const client = await connectClient('auto');
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    await client.close();
  });

  it('survives twenty kills of the daemon: each next call answers, and the list is the same', async () => {
    const client = await connectClient('stateless');
    const before = await client.listTools();
    const paths = statePaths(join(folder, 'state'));
    for (let kills = 0; kills < 20; kills += 1) {
      expect(await callOutput(client, 'read_tool_manifest', { tool_name: 'run_shell' })).toHaveProperty('tool');
      const pid = readHolder(paths)?.pid ?? 0;
      expect(pid).toBeGreaterThan(0);
      process.kill(pid, 'SIGKILL');
      await until(() => !isAlive(pid));
    }
    expect(await callOutput(client, 'read_tool_manifest', { tool_name: 'run_shell' })).toHaveProperty('tool');
    expect((await client.listTools()).tools).toEqual(before.tools);
    await client.close();
  }, 120_000);

  it('leaves no shim behind when fifty clients are killed with -9', async () => {
    const mark = `wc-mark-${process.pid}`;
    const clients = Array.from({ length: 50 }, () =>
      // A client that holds the shim's standard input open until it is killed.
      spawn('/bin/sh', ['-c', `sleep 1000 | "${WC}" mcp`], {
        env: { ...env, WC_TEST_MARK: mark },
        stdio: ['ignore', 'ignore', 'ignore'],
        detached: true,
      }),
    );
    await until(() => processesWith(mark, 'mcp').length >= 50, 60_000);
    for (const client of clients) killAllBut(client, mark);
    await until(() => processesWith(mark, 'mcp').length === 0, 30_000);
  }, 120_000);
});

/** Kills the client's shell and its sleeper, and leaves the shim to see that its client is gone. */
function killAllBut(client: ChildProcess, mark: string): void {
  for (const pid of [client.pid ?? 0, ...processesWith(mark, 'sleep')]) {
    if (pid > 0 && isAlive(pid)) process.kill(pid, 'SIGKILL');
  }
}

/** The processes that carry the mark in their environment and the word in their command line. */
function processesWith(mark: string, word: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return command.some((part) => part.includes(word)) && command[0]?.includes('sh') !== true && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark);
      } catch {
        return false; // it ended while we looked
      }
    })
    .map(Number);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.startsWith('Z') !== true;
  } catch {
    return false;
  }
}

async function until(fact: () => boolean, boundMs = 20_000): Promise<void> {
  const deadline = performance.now() + boundMs;
  while (!fact()) {
    if (performance.now() > deadline) throw new Error('the awaited fact did not come');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
