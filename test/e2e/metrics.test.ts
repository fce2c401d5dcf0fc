import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { promtool } from '../promtool.js';
import type { CliPlace } from './cli.js';
import { cliPlace } from './cli.js';
import { postTool, send } from './raw-http.js';

let place: CliPlace;

beforeAll(() => {
  place = cliPlace();
  place.wc(['daemon', 'start']);
}, 60_000);
afterAll(() => place.close());

describe('GET /api/metrics', () => {
  it('tells what happened and what there is, in a page that promtool accepts', async () => {
    const { socket } = place.status();
    await postTool(socket, 'read_files', { arguments: { no_such_field: 1 } });
    await postTool(socket, 'no_such_tool', {});
    const { status, body } = await send(socket, 'GET', '/api/metrics');
    expect(status).toBe(200);
    expect(promtool(body)).toBe('');
    expect(body).toContain('wc_calls_total{tool="read_files",outcome="invalid",adapter="http"} 1\n');
    expect(body).toContain('wc_call_errors_total{tool="unknown",kind="unknown_tool"} 1\n');
    expect(body).toContain('wc_runner_up 1\n');
    expect(body).toContain('wc_jobs{status="running"} 0\n');
    for (const name of ['wc_open_shells', 'wc_ssh_connections', 'wc_sessions{lifecycle="active"}', 'wc_audit_rows_dropped_total', 'wc_calls_in_flight']) {
      expect(body).toContain(`\n${name} 0\n`);
    }
    for (const store of ['ledger', 'audit', 'daemon_log', 'spool']) expect(body).toMatch(new RegExp(`\\nwc_store_bytes\\{store="${store}"\\} \\d+\\n`));
  });

  it('is for those who may read the runtime', async () => {
    const { socket } = place.status();
    const token = (scope: string): string =>
      (JSON.parse(place.wc(['token', 'create', scope.replace(':', '-'), '--scope', scope, '--json']).out) as { token: string }).token;
    const asked = async (scope: string): Promise<number> =>
      (await send(socket, 'GET', '/api/metrics', { headers: { authorization: `Bearer ${token(scope)}` } })).status;
    expect([await asked('project:read'), await asked('runtime:read')]).toEqual([403, 200]);
    expect((await send(socket, 'POST', '/api/metrics', { body: '{}' })).status).toBe(405);
  });

  it('goes to a textfile in one step, readable by all', () => {
    const file = join(place.folder, 'wc.prom');
    expect(place.wc(['audit', 'metrics', '--textfile', file])).toEqual({ code: 0, out: '', err: '' });
    expect(promtool(readFileSync(file, 'utf8'))).toBe('');
    expect(statSync(file).mode & 0o777).toBe(0o644);
    expect(readdirSync(place.folder).filter((name) => name.includes('.part'))).toEqual([]);
    expect(place.wc(['audit', 'metrics']).out).toContain('# TYPE wc_calls_total counter\n');
    expect(place.wc(['audit', 'metrics', '--textfile', join(place.folder, 'nowhere', 'wc.prom')])).toMatchObject({ code: 2, out: '' });
  });
});
