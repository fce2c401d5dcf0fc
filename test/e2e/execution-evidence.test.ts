import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, type DaemonClient } from '../../src/client/index.js';
import type { JsonObject } from '../../src/protocol/tool-result.js';

const WC = join(import.meta.dirname, '..', '..', 'bin', 'webcodex');

let folder: string;
let env: Record<string, string>;
let wc: DaemonClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wc-evidence-'));
  mkdirSync(join(folder, 'project'));
  execFileSync('git', ['init', '-q', join(folder, 'project')]);
  env = { PATH: process.env['PATH'] ?? '', HOME: folder, WC_HOME: join(folder, 'state') };
  wc = await connect({ adapter: 'http', env });
  await wc.callTool('register_project', { arguments: { client_id: 'local', path: join(folder, 'project'), name: 'project' } });
});
afterAll(() => {
  wc.close();
  execFileSync(WC, ['daemon', 'stop'], { env, stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

/** A Session of its own, and calls in it. */
async function session(mode: 'normal' | 'read_only' = 'normal') {
  const { output } = await wc.callTool('start_session', { arguments: { project: 'project', mode } });
  const session_id = output['session_id'] as string;
  const call = async (tool: string, args: Record<string, unknown>): Promise<JsonObject> => (await wc.callTool(tool, { arguments: { session_id, ...args } })).output;
  return {
    shell: (command: string, more: Record<string, unknown> = {}) => call('run_shell', { project: 'project', command, purpose: 'test', assertion_name: 'unit', ...more }),
    call,
    finish: () => call('finish_coding_task', { project: 'project', summary_only: true }),
  };
}

it('expectation purity: a match is no success and clears no earlier failure', async () => {
  const { shell, call, finish } = await session();
  expect(await shell('exit 1')).toMatchObject({ exit_code: 1, command_ok: false });
  const unresolved = (await finish())['evidence_history'];
  expect(await shell('exit 1', { result_expectation: 'failure' })).toMatchObject({ error_kind: 'command_exit_nonzero', exit_code: 1, command_ok: false });
  expect(await call('run_process', { project: 'project', executable: 'false', purpose: 'test', assertion_name: 'unit', accepted_exit_codes: [1] })).toMatchObject({ exit_code: 1 });
  expect((await finish())['evidence_history']).toEqual(unresolved);
  expect(await shell('exit 0')).toMatchObject({ exit_code: 0, command_ok: true });
  expect((await finish())['evidence_history']).toEqual({ status: 'mixed_resolved' });
});

it('a read_only Session runs nothing, and still may stop', async () => {
  const { call } = await session('read_only');
  const programs = {
    run_process: { executable: 'touch', args: ['ran'] },
    run_script: { language: 'sh', script: 'touch ran' },
    run_shell: { command: 'touch ran' },
    run_job: { command: 'touch ran' },
  };
  for (const [tool, args] of Object.entries(programs)) {
    expect(await call(tool, { project: 'project', ...args }), tool).toMatchObject({
      error_kind: 'session_guard_denied',
      guard: 'deny_shell_tools',
      mode: 'read_only',
      command_started: false,
    });
  }
  expect(execFileSync('ls', [join(folder, 'project')], { encoding: 'utf8' })).toBe('');
  expect(await call('stop_job', { project: 'project', job_id: 'wc_job_none', confirm: true })).toMatchObject({ error_kind: 'job_not_found' });
});
