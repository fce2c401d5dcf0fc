import { request as httpRequest, type IncomingMessage } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { success } from '../../../src/protocol/tool-result.js';
import { readCatalog } from '../../../src/daemon/catalog-file.js';
import type { ToolsListRecord } from '../../../src/daemon/audit/index.js';
import { createMcpEndpoint } from '../../../src/daemon/mcp-endpoint/index.js';
import { ApiServer } from '../../../src/daemon/server/index.js';
import { kernelFixture, principal, tool, type KernelFixture } from '../kernel/kernel-fixture.js';

interface Answer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('POST /mcp', () => {
  let folder: string;
  let socketPath: string;
  let server: ApiServer;
  let fixture: KernelFixture;
  let faults: unknown[];
  let listed: ToolsListRecord[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'wc-mcp-'));
    socketPath = join(folder, 's');
    faults = [];
    listed = [];
    const onFault = (error: unknown): void => void faults.push(error);
    fixture = kernelFixture([tool('read_thing', ({ path }) => ({ result: success({ text: String(path) }) }))]);
    server = new ApiServer({
      kernel: fixture.kernel,
      routes: [],
      admit: () => ({ principal: principal() }),
      health: () => ({ status: 'ok', version: '1', pid: 1, started_at: 'then', calls_in_flight: 0, runner: null }),
      mcp: createMcpEndpoint({ readCatalog, textCopy: 'always', onListed: (list) => listed.push(list), onFault }),
      onFault,
    });
    await new Promise<void>((resolve) => server.http.listen(socketPath, resolve));
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  function post(body: string, headers: Record<string, string>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest({
        socketPath,
        method: 'POST',
        path: '/mcp',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      });
      outgoing.on('error', reject);
      outgoing.on('response', (incoming: IncomingMessage) => {
        let text = '';
        incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const line = text.split('\n').find((each) => each.startsWith('data: '))?.slice('data: '.length) ?? text;
          resolve({ status: incoming.statusCode ?? 0, json: JSON.parse(line || '{}') as Record<string, unknown> });
        });
      });
      outgoing.end(body);
    });
  }

  /** A stateless `tools/call` whose path is `path`, as it stands in JSON. */
  async function callWith(path: string): Promise<Record<string, unknown>> {
    const args = `{"project":"agent:local:demo","path":"${path}"}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_thing","arguments":${args},"_meta":${JSON.stringify(META)}}}`;
    const { status, json } = await post(body, {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'read_thing',
    });
    expect(status).toBe(200);
    return (json['result'] as Record<string, unknown>)['structuredContent'] as Record<string, unknown>;
  }

  it('passes a call to the kernel and leaves one audit row of /mcp', async () => {
    expect(await callWith('\\ud83d\\ude00')).toEqual({ success: true, output: { text: '\u{1f600}' } });
    expect(fixture.rows).toMatchObject([{ endpoint: '/mcp', toolName: 'read_thing', outcome: 'success' }]);
    expect(faults).toEqual([]);
  });

  it('refuses half of a surrogate pair, which no store could hold', async () => {
    expect(await callWith('half \\ud83d')).toMatchObject({
      success: false,
      output: { error_kind: 'invalid_arguments', recovery_kind: 'fix_input', state_changed: false },
    });
    expect(fixture.rows).toEqual([]);
  });

  it('answers malformed and oversized bodies as JSON-RPC errors', async () => {
    const malformed = await post('{', {});
    expect([malformed.status, (malformed.json['error'] as Record<string, unknown>)['code']]).toEqual([400, -32700]);
    const large = await post(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"${'x'.repeat(5_000_000)}"}}`, {});
    expect(large.status).toBe(413);
  });

  const list = (params: object, headers: Record<string, string> = {}): Promise<Answer> =>
    post(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list', params }), headers);
  const STATELESS = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };

  it.each([
    ['legacy', {}, {}],
    ['stateless_2026', { _meta: { ...META, 'openai/session': 'a-window' } }, STATELESS],
  ] as const)('[05-A21] measures the answer to tools/list as it went out, %s era', async (era, params, headers) => {
    const { json } = await list(params, { ...headers, 'x-action-session-id': 'listing' });
    const result = json['result'] as { tools: { name: string }[] };
    await vi.waitFor(() => expect(listed).toHaveLength(1));
    expect(listed).toMatchObject([
      {
        adapter: era === 'legacy' ? 'mcp_legacy' : 'mcp_2026',
        affinity: { header: 'listing' },
        httpStatus: 200,
        surface: {
          schema_version: 1,
          protocol_era: era,
          compact_schemas: true,
          tool_count: result.tools.length,
          serialized_tools_bytes: Buffer.byteLength(JSON.stringify(result.tools)),
          serialized_result_bytes: Buffer.byteLength(JSON.stringify(result)),
          gateway_tool_included: true,
        },
      },
    ]);
    expect(listed[0]?.window === null).toBe(era === 'legacy');
  });

  it('[05-A21] has no measurement of a notification, and an empty one of a list that was refused', async () => {
    await post('{"jsonrpc":"2.0","method":"tools/list"}', {});
    await list({ cursor: 'x' });
    await vi.waitFor(() => expect(listed).toHaveLength(1));
    expect(listed).toMatchObject([{ surface: null }]);
  });

  it('measures each request of a batch that was executed, and no other part of it', async () => {
    const request = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' });
    await post(JSON.stringify([request(1), request(2), { jsonrpc: '2.0', method: 'tools/list' }]), {});
    await vi.waitFor(() => expect(listed).toHaveLength(2));
  });
});
