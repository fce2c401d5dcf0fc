import { afterEach, describe, expect, it } from 'vitest';
import type { ClientError, DaemonClient } from '../../src/client/index.js';
import { connect } from '../../src/client/index.js';
import type { Progress } from '../../src/protocol/api.js';
import type { Answer, FakeDaemon } from './fake-daemon.js';
import { fakeDaemon, sendJson } from './fake-daemon.js';

const OK = { success: true, output: { n: 1 } };
let daemon: FakeDaemon;
let client: DaemonClient;

async function talkTo(answer: Answer, health = {}): Promise<void> {
  daemon = await fakeDaemon(answer, health);
  client = await connect({ adapter: 'cli', env: daemon.env, autostart: false });
}

async function refusedWith(promise: Promise<unknown>): Promise<Pick<ClientError, 'kind' | 'exitCode' | 'message'>> {
  const error = await promise.then(() => null, (reason: unknown) => reason as ClientError);
  return { kind: error!.kind, exitCode: error!.exitCode, message: error!.message };
}

afterEach(async () => {
  client.close();
  await daemon.close();
});

describe('a tool call', () => {
  it('posts the body with who speaks, after health was asked', async () => {
    await talkTo((_, response) => sendJson(response, 200, OK));
    const result = await client.callTool('list_projects', { arguments: { limit: 2 }, _wc: { record: '~s1' } });
    expect(result).toEqual(OK);
    const [call] = daemon.seenAt('/api/tools/list_projects');
    expect(call).toMatchObject({
      method: 'POST',
      headers: { 'x-wc-adapter': 'cli', 'x-wc-version': '0.1.0' },
      body: { arguments: { limit: 2 }, _wc: { record: '~s1' } },
    });
    expect(daemon.seen.at(-2)?.path).toBe('/api/health');
  });

  it('that only observes takes an answer of the last second for the health of the daemon, one with effects does not', async () => {
    await talkTo((_, response) => sendJson(response, 200, OK));
    const before = daemon.seenAt('/api/health').length;
    await client.callTool('list_projects', {}, { repeatable: true });
    await client.callTool('list_projects', {}, { repeatable: true });
    expect(daemon.seenAt('/api/health').length - before).toBe(1);
    await client.callTool('run_process', {});
    expect(daemon.seenAt('/api/health').length - before).toBe(2);
  });

  it('that took an answer of the last second for health still hears within seconds that the daemon is silent', async () => {
    await talkTo((_, response) => sendJson(response, 200, OK));
    await client.callTool('list_projects', {}, { repeatable: true });
    daemon.fallSilent();
    const startedAt = performance.now();
    expect(await refusedWith(client.callTool('list_projects', {}, { repeatable: true }))).toMatchObject({ kind: 'daemon_wedged', exitCode: 3 });
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  });

  it('gives back a ToolResult that says no as it is', async () => {
    const no = { success: false, output: { error_kind: 'unknown_project' }, error: 'no such project' };
    await talkTo((_, response) => sendJson(response, 200, no));
    await expect(client.callTool('read_files', {})).resolves.toEqual(no);
  });

  it('reads a stream cut anywhere, also inside a character', async () => {
    const lines = [
      { progress: { stream: 'stdout', text: 'grüß\n' } },
      { progress: { message: 'half way' } },
      { result: OK },
    ];
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await talkTo((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      let at = 0;
      const next = (): void => {
        if (at < bytes.length) response.write(bytes.subarray(at, (at += 1)), () => setImmediate(next));
        else response.end();
      };
      next();
    });
    const progress: Progress[] = [];
    const result = await client.callTool('run_shell', {}, { onProgress: (event) => void progress.push(event) });
    expect(result).toEqual(OK);
    expect(progress).toEqual([{ stream: 'stdout', text: 'grüß\n' }, { message: 'half way' }]);
    expect(daemon.seenAt('/api/tools/run_shell')[0]?.headers.accept).toBe('application/x-ndjson');
  });

  it('is told to the daemon as cancelled when its signal aborts, and answers with its own result', async () => {
    const cancelled = { success: false, output: { error_kind: 'cancelled' }, error: 'cancelled' };
    let finish = (): void => undefined;
    await talkTo((request, response) => {
      if (request.path.endsWith('/cancel')) {
        finish();
        sendJson(response, 200, { cancelled: true });
      } else finish = () => sendJson(response, 200, cancelled);
    });
    const stop = new AbortController();
    const call = client.callTool('run_shell', {}, { signal: stop.signal });
    await expect.poll(() => daemon.seenAt('/api/tools/run_shell').length).toBe(1);
    stop.abort();
    await expect(call).resolves.toEqual(cancelled);
    const id = daemon.seenAt('/api/tools/run_shell')[0]?.headers['x-wc-call-id'] as string;
    expect(daemon.seenAt(`/api/calls/${id}/cancel`)).toHaveLength(1);
  });
});

describe('a cancel that comes before the daemon knows the call', () => {
  it('is asked for again until it is known', async () => {
    const cancelled = { success: false, output: { error_kind: 'cancelled' }, error: 'cancelled' };
    let finish = (): void => undefined;
    let asked = 0;
    await talkTo((request, response) => {
      if (!request.path.endsWith('/cancel')) finish = () => sendJson(response, 200, cancelled);
      else if ((asked += 1) < 3) sendJson(response, 404, { error: { kind: 'no_such_call', message: '', hint: '' } });
      else {
        sendJson(response, 200, { cancelled: true });
        finish();
      }
    });
    await expect(client.callTool('run_shell', {}, { signal: AbortSignal.abort() })).resolves.toEqual(cancelled);
    expect(asked).toBe(3);
  });
});

describe('a call without a ToolResult', () => {
  const refusal = (status: number, kind: string): Answer => (_, response) =>
    sendJson(response, status, { error: { kind, message: `it said ${kind}.`, hint: 'do this.' } });

  it.each([
    [400, 'malformed_request', 'request_refused', 2],
    [413, 'request_too_large', 'request_refused', 2],
    [404, 'no_such_route', 'request_refused', 2],
    [401, 'invalid_token', 'invalid_token', 1],
    [429, 'too_many_in_flight', 'daemon_unavailable', 3],
    [500, 'internal_error', 'daemon_unavailable', 3],
  ])('status %i %s is %s with exit code %i', async (status, kind, expected, exitCode) => {
    await talkTo(refusal(status, kind));
    expect(await refusedWith(client.callTool('list_tools', {}))).toEqual({
      kind: expected,
      exitCode,
      message: `it said ${kind}.`,
    });
  });

  it('that is larger than a request may be is not sent', async () => {
    await talkTo((_, response) => sendJson(response, 200, OK));
    const text = 'x'.repeat(8 * 1024 * 1024);
    expect(await refusedWith(client.callTool('edit_project_files', { arguments: { text } }))).toMatchObject({
      kind: 'request_refused',
      exitCode: 2,
    });
    expect(daemon.seenAt('/api/tools/edit_project_files')).toHaveLength(0);
  });

  it('that breaks off before its answer is lost, and is not sent again', async () => {
    await talkTo((_, response) => response.destroy());
    expect(await refusedWith(client.callTool('edit_project_files', {}))).toMatchObject({ kind: 'connection_lost', exitCode: 3 });
    expect(daemon.seenAt('/api/tools/edit_project_files')).toHaveLength(1);
  });

  it('is sent again when it only observes', async () => {
    let first = true;
    await talkTo((_, response) => {
      if (first) response.destroy();
      else sendJson(response, 200, OK);
      first = false;
    });
    await expect(client.callTool('read_files', {}, { repeatable: true })).resolves.toEqual(OK);
  });

  it('that breaks off inside a stream is lost', async () => {
    await talkTo((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('{"progress":{"message":"a"}}\n', () => response.destroy());
    });
    expect(await refusedWith(client.callTool('run_job', {}, { onProgress: () => undefined }))).toMatchObject({
      kind: 'connection_lost',
    });
  });

  it('that ends its stream without a result is lost', async () => {
    await talkTo((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.end('{"progress":{"message":"a"}}\n');
    });
    expect(await refusedWith(client.callTool('run_job', {}, { onProgress: () => undefined }))).toMatchObject({
      kind: 'connection_lost',
    });
  });

  it('that answers no JSON, or no ToolResult, is unexpected', async () => {
    await talkTo((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(request.path.endsWith('list_tools') ? '<html>' : '{"ok":true}');
    });
    expect(await refusedWith(client.callTool('list_tools', {}))).toMatchObject({ kind: 'unexpected_answer', exitCode: 3 });
    expect(await refusedWith(client.callTool('list_jobs', {}))).toMatchObject({ kind: 'unexpected_answer' });
  });
});

describe('other routes', () => {
  it('give back their status and body whatever it is', async () => {
    await talkTo((_, response) => sendJson(response, 404, { status: 404, error: 'no such session' }));
    await expect(client.request('POST', '/api/audit/session', { session_id: 'x' })).resolves.toEqual({
      status: 404,
      body: { status: 404, error: 'no such session' },
    });
  });

  it('carry the token of WC_TOKEN', async () => {
    daemon = await fakeDaemon((_, response) => sendJson(response, 200, {}));
    client = await connect({ adapter: 'cli', env: { ...daemon.env, WC_TOKEN: 'wc_t' }, autostart: false });
    await client.request('GET', '/api/metrics');
    expect(daemon.seenAt('/api/metrics')[0]?.headers.authorization).toBe('Bearer wc_t');
  });
});
