import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const WC = join(import.meta.dirname, '..', '..', 'bin', 'webcodex');
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const META = {
  [VERSION_KEY]: '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A shim that is spoken to line by line. Nothing here needs a daemon. */
class Shim {
  readonly lines: Record<string, unknown>[] = [];
  readonly exited: Promise<number | null>;
  private readonly child: ChildProcess;
  private wake: () => void = () => undefined;

  constructor(env: Record<string, string>) {
    this.child = spawn(WC, ['mcp'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    this.exited = new Promise((resolve) => this.child.on('close', (code) => resolve(code)));
    createInterface({ input: this.child.stdout! }).on('line', (line) => {
      this.lines.push(JSON.parse(line) as Record<string, unknown>);
      this.wake();
    });
  }

  write(line: string): void {
    this.child.stdin!.write(`${line}\n`);
  }

  request(id: number, method: string, params: Record<string, unknown> = {}): void {
    this.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  }

  /** The first `count` answers, in the order that they came. */
  async answers(count: number): Promise<Record<string, unknown>[]> {
    const deadline = performance.now() + 20_000;
    const timer = setTimeout(() => this.wake(), 20_000);
    while (this.lines.length < count && performance.now() < deadline) {
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    clearTimeout(timer);
    return this.lines.slice(0, count);
  }

  end(): void {
    this.child.stdin!.end();
  }
}

describe('wc mcp on the wire', () => {
  let folder: string;
  let shim: Shim;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'wc-wire-'));
    shim = new Shim({ PATH: process.env['PATH'] ?? '', HOME: folder, WC_HOME: join(folder, 'state') });
  });
  afterEach(async () => {
    shim.end();
    await shim.exited;
    rmSync(folder, { recursive: true, force: true });
  });

  it('answers what is no JSON, no request, and a batch, and goes on', async () => {
    shim.write('this is not json');
    shim.write('[]');
    shim.write('{"jsonrpc":"2.0","id":null,"method":"tools/list"}');
    shim.request(1, 'tools/list', { _meta: META });
    const answers = await shim.answers(4);
    expect(answers.map((answer) => (answer['error'] as { code: number } | undefined)?.code)).toEqual([
      -32700, -32600, -32600, undefined,
    ]);
    expect(answers[3]).toMatchObject({ id: 1, result: { resultType: 'complete', cacheScope: 'private' } });
  });

  it('answers a line of 50 MB and serves the next request', async () => {
    shim.write(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"${'x'.repeat(50 * 1024 * 1024)}"}}`);
    shim.request(2, 'tools/list', { _meta: META });
    const [first, second] = await shim.answers(2);
    expect(first).toMatchObject({ id: null, error: { code: -32600 } });
    expect(second).toMatchObject({ id: 2 });
    expect(second).toHaveProperty('result');
  });

  it('refuses another version also after it has spoken the newer one', async () => {
    shim.request(1, 'tools/list', { _meta: META });
    shim.request(2, 'tools/list', { _meta: { ...META, [VERSION_KEY]: '2027-01-01' } });
    shim.request(3, 'tools/list', { _meta: { ...META, [VERSION_KEY]: '2025-11-25' } });
    const answers = await shim.answers(3);
    const byId = new Map(answers.map((answer) => [answer['id'], answer]));
    expect(byId.get(1)).toHaveProperty('result');
    for (const id of [2, 3]) {
      expect(byId.get(id)).toMatchObject({ error: { code: -32022, data: { supported: ['2026-07-28'] } } });
    }
  });

  it('serves a probe and then the handshake on one connection', async () => {
    shim.request(1, 'server/discover', { _meta: META });
    const [discovered] = await shim.answers(1);
    expect(discovered).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } });
    shim.request(2, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    const answers = await shim.answers(2);
    expect(answers[1]).toMatchObject({ id: 2, result: { protocolVersion: '2025-06-18', serverInfo: { name: 'wc' } } });
  });

  it('refuses a cursor, since there is one page', async () => {
    shim.request(1, 'tools/list', { _meta: META, cursor: 'x' });
    const [answer] = await shim.answers(1);
    expect(answer).toMatchObject({ error: { code: -32602 } });
  });

  it('ends with its client', async () => {
    shim.request(1, 'tools/list', { _meta: META });
    await shim.answers(1);
    shim.end();
    expect(await shim.exited).toBe(0);
  });
});
