import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_REQUEST_BYTES } from '../../../src/protocol/api.js';
import { success } from '../../../src/protocol/tool-result.js';
import type { CallContext } from '../../../src/daemon/kernel/call-context.js';
import { ApiServer } from '../../../src/daemon/server/server.js';
import { kernelFixture, principal, tool, type KernelFixture } from '../kernel/kernel-fixture.js';
import type { Tool } from '../../../src/daemon/kernel/tool.js';

const demo = { project: 'agent:local:demo' };

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

describe('the socket API', () => {
  let folder: string;
  let socketPath: string;
  let server: ApiServer;
  let fixture: KernelFixture;
  /** What the tool under test does; each test says it anew. */
  let behave: (call: CallContext) => Promise<Record<string, string | number>>;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'wc-api-'));
    socketPath = join(folder, 's');
    behave = async () => ({ text: 'x' });
    const base = tool('read_thing', () => ({ result: success({}) }));
    const thing: Tool = { ...base, run: async (_input, call) => ({ result: success(await behave(call)) }) };
    fixture = kernelFixture([thing]);
    server = new ApiServer({
      kernel: fixture.kernel,
      routes: [
        { method: 'POST', path: '/api/echo', handle: async (body) => ({ status: 200, body: { body } as never }) },
      ],
      admit: ({ authorizationHeader }) =>
        authorizationHeader === null
          ? { principal: principal() }
          : authorizationHeader === 'Bearer good'
            ? { principal: principal({ credential: 'api_token' }) }
            : { refused: 'invalid_token' },
      health: (calls, shuttingDown) => ({
        status: shuttingDown ? 'shutting_down' : 'ok',
        version: '1',
        pid: 1,
        started_at: 'then',
        calls_in_flight: calls,
        runner: null,
      }),
      mcp: async (_runner, _request, response) => void response.end(),
      onFault: (error) => void fixture.faults.push(error),
    });
    await new Promise<void>((resolve) => server.http.listen(socketPath, resolve));
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  function open(
    method: string,
    path: string,
    body: string | Buffer | null,
    headers: Record<string, string> = {},
  ): { readonly abort: () => void; readonly answer: Promise<Answer> } {
    const outgoing = httpRequest({ socketPath, method, path, headers });
    const answer = new Promise<Answer>((resolve, reject) => {
      outgoing.on('error', reject);
      outgoing.on('response', (incoming: IncomingMessage) => {
        let text = '';
        incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
        incoming.on('error', reject);
        incoming.on('end', () => {
          let json: Record<string, unknown> = {};
          try {
            json = JSON.parse(text) as Record<string, unknown>;
          } catch {
            // a stream of lines, which its test reads itself
          }
          resolve({ status: incoming.statusCode ?? 0, text, json });
        });
      });
    });
    if (body !== null) outgoing.write(body);
    outgoing.end();
    return { abort: () => outgoing.destroy(), answer };
  }

  const call = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    open('POST', '/api/tools/read_thing', JSON.stringify(body), headers).answer;

  it('answers a tool with the ToolResult and 200, also when the tool said no', async () => {
    const yes = await call({ arguments: demo });
    expect([yes.status, yes.json]).toEqual([200, { success: true, output: { text: 'x' } }]);
    const no = await call({ arguments: {} });
    expect([no.status, no.json['success']]).toEqual([200, false]);
    const unknown = await open('POST', '/api/tools/nope', '{}').answer;
    expect([unknown.status, (unknown.json['output'] as Record<string, unknown>)['error_kind']]).toEqual([200, 'unknown_tool']);
  });

  it.each([
    ['POST', '/api/tools/read_thing', '{', 400, 'malformed_request'],
    ['POST', '/api/tools/read_thing', '[]', 400, 'malformed_request'],
    ['POST', '/api/tools/read_thing', '{"args": {}}', 400, 'malformed_request'],
    ['POST', '/api/tools/read_thing', '{"arguments": []}', 400, 'malformed_request'],
    ['POST', '/api/tools/read_thing', '{"environment": {"A": 1}}', 400, 'malformed_request'],
    ['POST', '/api/tools/read_thing', '{"stdin_pipe": "relative/pipe"}', 400, 'malformed_request'],
    ['POST', '/api/tools/read_thing', '{"stdin_pipe": 1}', 400, 'malformed_request'],
    ['POST', '/api/tools/%zz', '{}', 400, 'malformed_request'],
    ['POST', '//', '{}', 400, 'malformed_request'],
    ['POST', '/api/tools/read_thing', '{"arguments": {"project": "half a pair: \\ud83d"}}', 400, 'malformed_request'],
    ['GET', '/api/tools/read_thing', null, 405, 'method_not_allowed'],
    ['POST', '/api/nothing', '{}', 404, 'no_such_route'],
    ['POST', '/api/calls/00000000-0000-4000-8000-000000000001/cancel', '{}', 404, 'no_such_call'],
  ])('answers %s %s %s with %i', async (method, path, body, status, kind) => {
    const answer = await open(method, path, body).answer;
    expect([answer.status, (answer.json['error'] as Record<string, unknown>)['kind']]).toEqual([status, kind]);
    expect(fixture.rows).toEqual([]);
  });

  it('refuses a bad token and never falls back', async () => {
    const answer = await call({ arguments: demo }, { authorization: 'Bearer wrong' });
    expect([answer.status, (answer.json['error'] as Record<string, unknown>)['kind']]).toEqual([401, 'invalid_token']);
  });

  it('refuses a body over the bound without reading it to the end', async () => {
    const declared = await open('POST', '/api/tools/read_thing', '{', {
      'content-length': String(MAX_REQUEST_BYTES + 1),
    }).answer.catch((error: unknown) => (error as NodeJS.ErrnoException).code);
    expect(typeof declared === 'object' ? (declared).status : declared).toBe(413);
    const chunked = await open('POST', '/api/tools/read_thing', `"${'x'.repeat(MAX_REQUEST_BYTES)}"`, {
      'transfer-encoding': 'chunked',
    }).answer;
    expect(chunked.status).toBe(413);
  });

  it('takes whole surrogate pairs and refuses bytes that are no UTF-8', async () => {
    const pair = await open('POST', '/api/echo', '{"a":"\\ud83d\\ude00"}').answer;
    expect(pair.json).toEqual({ body: { a: '\u{1f600}' } });
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    const refused = await open('POST', '/api/echo', bytes).answer;
    expect([refused.status, refused.json]).toEqual([
      400,
      { error: { kind: 'malformed_request', message: 'the body is not UTF-8', hint: 'send one JSON object in UTF-8' } },
    ]);
  });

  it('answers a refusal before the body came, and takes the rest of it without ending the connection', async () => {
    const socket = connect(socketPath);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write('POST /api/tools/read_thing HTTP/1.1\r\nhost: wc\r\nauthorization: Bearer wrong\r\ncontent-length: 4\r\n\r\n');
    await until(() => text.includes('invalid_token'));
    socket.write('{}\n\n');
    socket.write('GET /api/health HTTP/1.1\r\nhost: wc\r\n\r\n');
    await until(() => text.includes('calls_in_flight'));
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
    socket.destroy();
  });

  it("takes an environment and a pipe from the user's own socket, and from no token", async () => {
    for (const member of [{ environment: { A: 'b' } }, { stdin_pipe: '/tmp/pipe' }]) {
      expect((await call({ arguments: demo, ...member })).status).toBe(200);
      const refused = await call({ arguments: demo, ...member }, { authorization: 'Bearer good' });
      expect([refused.status, (refused.json['error'] as Record<string, unknown>)['kind']]).toEqual([403, 'operator_only']);
    }
    expect((await call({ arguments: demo, environment: null }, { authorization: 'Bearer good' })).status).toBe(200);
  });

  it('holds back what sends faster than its reader reads, and leaves nothing out', async () => {
    const piece = 'x'.repeat(64 * 1_024);
    let sent = 0;
    let waits = 0;
    behave = async (context) => {
      for (; sent < 200; sent += 1) {
        const taken = context.progress({ stream: 'stdout', text: piece });
        const isTaken = await Promise.race([Promise.resolve(taken).then(() => true), new Promise((resolve) => setTimeout(resolve, 50, false))]);
        if (isTaken === false) waits += 1;
        await taken;
      }
      return { done: 1 };
    };
    const outgoing = httpRequest({ socketPath, method: 'POST', path: '/api/tools/read_thing', headers: { accept: 'application/x-ndjson' } });
    outgoing.end(JSON.stringify({ arguments: demo }));
    const incoming = await new Promise<IncomingMessage>((resolve) => outgoing.once('response', resolve));
    await until(() => waits > 0 || sent === 200);
    // What fits between the two is far less than what is to come.
    expect(sent).toBeLessThan(100);
    let bytes = 0;
    for await (const chunk of incoming) bytes += (chunk as Buffer).length;
    expect(bytes).toBeGreaterThan(200 * piece.length);
  });

  it('lets what sends go on when its reader is gone', async () => {
    let done = false;
    behave = async (context) => {
      for (let sent = 0; sent < 200; sent += 1) await context.progress({ stream: 'stdout', text: 'x'.repeat(64 * 1_024) });
      done = true;
      return { done: 1 };
    };
    const outgoing = httpRequest({ socketPath, method: 'POST', path: '/api/tools/read_thing', headers: { accept: 'application/x-ndjson' } });
    outgoing.on('error', () => undefined);
    outgoing.end(JSON.stringify({ arguments: demo }));
    const incoming = await new Promise<IncomingMessage>((resolve) => outgoing.once('response', resolve));
    incoming.on('error', () => undefined);
    incoming.destroy();
    await until(() => done);
  });

  it('streams progress lines and then one result line', async () => {
    behave = async (context) => {
      await context.progress({ stream: 'stdout', text: 'one\n' });
      await context.progress({ message: 'half way' });
      return { done: 1 };
    };
    const answer = await call({ arguments: demo }, { accept: 'application/x-ndjson' });
    expect(answer.text.trimEnd().split('\n').map((line) => JSON.parse(line) as unknown)).toEqual([
      { progress: { stream: 'stdout', text: 'one\n' } },
      { progress: { message: 'half way' } },
      { result: { success: true, output: { done: 1 } } },
    ]);
    expect(fixture.rows[0]?.responseStreaming).toBe(true);
  });

  it('tells a cancel from a caller that vanished', async () => {
    const seen: string[] = [];
    behave = (context) =>
      new Promise((resolve) => {
        context.signal.addEventListener('abort', () => {
          seen.push('cancelled');
          resolve({});
        });
        context.disconnected.addEventListener('abort', () => {
          seen.push('disconnected');
          resolve({});
        });
      });
    const id = '00000000-0000-4000-8000-00000000000a';
    const cancelled = open('POST', '/api/tools/read_thing', JSON.stringify({ arguments: demo }), { 'x-wc-call-id': id });
    await until(() => server.calls.count === 1);
    expect((await open('POST', `/api/calls/${id}/cancel`, '{}').answer).json).toEqual({ cancelled: true });
    expect((await cancelled.answer).status).toBe(200);
    const vanished = open('POST', '/api/tools/read_thing', JSON.stringify({ arguments: demo }));
    vanished.answer.catch(() => undefined);
    await until(() => server.calls.count === 1);
    vanished.abort();
    await until(() => server.calls.count === 0);
    expect(seen).toEqual(['cancelled', 'disconnected']);
    expect(fixture.rows).toHaveLength(2);
  });

  it('keeps answering calls under way while it stops, and refuses new ones', async () => {
    let finish: () => void = () => undefined;
    behave = () => new Promise((resolve) => (finish = () => resolve({ done: 1 })));
    const underWay = call({ arguments: demo });
    await until(() => server.calls.count === 1);
    server.refuseNewCalls();
    const refused = await call({ arguments: demo });
    expect([refused.status, (refused.json['error'] as Record<string, unknown>)['kind']]).toEqual([503, 'shutting_down']);
    expect((await open('GET', '/api/health', null).answer).json['status']).toBe('shutting_down');
    finish();
    expect((await underWay).json['success']).toBe(true);
    expect(await server.calls.drained(1_000)).toBe(true);
  });

  it('survives a client that sends garbage', async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(socketPath, () => socket.write('\0\0\0not http\r\n\r\n'));
      socket.on('close', () => resolve());
      socket.on('error', () => resolve());
      socket.resume();
    });
    expect((await call({ arguments: demo })).status).toBe(200);
  });

  it('mounts the routes of its domains', async () => {
    const answer = await open('POST', '/api/echo', '{"a":1}').answer;
    expect(answer.json).toEqual({ body: { a: 1 } });
  });
});

/** Waits for a fact with a bound. */
async function until(fact: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!fact()) {
    if (performance.now() > deadline) throw new Error('the awaited fact did not come');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
