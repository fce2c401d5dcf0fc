import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/protocol/tool-result.js';
import { until } from '../runner-link/link-harness.js';
import { ExecutionHouse, sessionOn, type DaemonSide } from './execution-house.js';

let house: ExecutionHouse;
let daemon: DaemonSide;

beforeAll(() => {
  house = new ExecutionHouse();
  daemon = house.daemon();
});
afterAll(() => house.close());

const inProject = (name: string): string => join(house.projectPath, name);

describe('run_script', () => {
  test('a script that succeeds', async () => {
    const output = await daemon.output('run_script', { language: 'python', script: 'import sys\nprint(sys.argv[1:], sys.stdin.read())', args: ['a b', '$(x)'], stdin: 'in' });
    expect(output).toMatchObject({
      execution_state: 'completed',
      command_ok: true,
      exit_code: 0,
      stdout_tail: "['a b', '$(x)'] in\n",
      execution_source: 'run_script',
      shell: null,
      terminal: true,
      effective_timeout_secs: 60,
      sync_wait_secs: 10,
    });
  });

  test('a script that fails shows no path of ours', async () => {
    const { result } = await daemon.call('run_script', { language: 'python', script: 'raise ValueError("no")' });
    expect(result).toMatchObject({ success: false, output: { error_kind: 'command_exit_nonzero', exit_code: 1 } });
    expect(result.output['stderr_tail']).toContain('File "<temporary-script>", line 1');
    expect(JSON.stringify(result)).not.toContain(house.state);
  });

  test.each([
    ['an empty script', { script: '' }],
    ['a script of 524,289 bytes', { script: `${'é'.repeat(262_144)}x` }],
    ['an unknown language', { language: 'powershell' }],
    ['no language', { language: undefined }],
    ['257 arguments', { args: Array.from({ length: 257 }, () => '') }],
    ['arguments of 16,001 bytes together', { args: ['x'.repeat(8_000), 'x'.repeat(7_999)] }],
    ['a shell', { shell: 'bash' }],
    ['exit codes', { accepted_exit_codes: [0] }],
  ])('%s is refused and not started', async (_name, changed) => {
    const { result } = await daemon.call('run_script', { language: 'sh', script: 'touch ran', ...changed });
    expect(result.output).toMatchObject({ error_kind: 'invalid_arguments', execution_state: 'not_started', command_started: false });
    expect(existsSync(inProject('ran'))).toBe(false);
  });

  test('arguments of 16,000 bytes together run', async () => {
    const args = ['x'.repeat(8_000), 'x'.repeat(7_998)];
    expect(await daemon.output('run_script', { language: 'sh', script: 'echo $#', args })).toMatchObject({ stdout_tail: '2\n' });
  });

  test("[03-A18] a Session's resource: unsupported_resource, and no process", async () => {
    const session = sessionOn(house.project, { resource: 'build-host' });
    const { result, facts } = await daemon.call('run_script', { language: 'sh', script: 'touch ran-locally' }, { session });
    expect(result.output).toMatchObject({
      error_kind: 'unsupported_resource',
      failure_kind: 'unsupported_resource',
      execution_state: 'not_started',
      command_started: false,
      execution_source: 'run_script',
    });
    expect(facts?.effect).toMatchObject({ commandStarted: false, executionState: 'not_started' });
    expect(existsSync(inProject('ran-locally'))).toBe(false);
  });

  test('the default shell of its Session means nothing to it, the default folder does', async () => {
    const session = sessionOn(house.project, { default_shell: 'bash', default_cwd: '.' });
    expect(await daemon.output('run_script', { language: 'sh', script: 'echo "${BASH_VERSION-none}"' }, { session })).toMatchObject({ stdout_tail: 'none\n', shell: null, cwd: '.' });
  });

  test('a script that takes longer is a Job that keeps its language, its size and its number of arguments alone', async () => {
    const script = 'echo once >> script-starts\nsleep 2\necho swordfish';
    const handedOff = await daemon.output('run_script', { language: 'bash', script, args: ['hunter2', 'b'], stdin: 'in', sync_wait_secs: 1 });
    expect(handedOff).toMatchObject({ execution_state: 'running', terminal: false, promoted_to_job: true });
    const job_id = handedOff['job_id'];
    const [listed] = (await daemon.output('list_jobs', {}))['jobs'] as JsonObject[];
    expect(listed).toMatchObject({
      job_id,
      execution_source: 'run_script',
      script_language: 'bash',
      script_bytes: script.length,
      arg_count: 2,
      stdin_provided: true,
      command_preview: 'bash <temporary-script>',
    });
    expect(JSON.stringify(listed)).not.toMatch(/swordfish|hunter2/);
    expect(await daemon.output('wait_for_job_readiness', { job_ids: [job_id], mode: 'all', wait_secs: 20 })).toMatchObject({ ready: [{ outcome: 'succeeded' }] });
    expect(house.lines('script-starts')).toEqual(['once']);
  });

  test('is identified as a check by language, text and arguments, and none of them stands in its evidence', async () => {
    const check = async (changed: object): Promise<unknown> => {
      const { facts } = await daemon.call('run_script', { language: 'sh', script: 'true # swordfish', args: ['hunter2'], purpose: 'test', ...changed });
      expect(JSON.stringify(facts)).not.toMatch(/swordfish|hunter2/);
      return facts?.contextResultSummary?.['validation_identity'];
    };
    const first = await check({});
    expect(first).toMatch(/^command:[0-9a-f]{24}$/);
    expect(await check({})).toBe(first);
    const others = await Promise.all([check({ language: 'bash' }), check({ script: 'true  # swordfish' }), check({ args: [] })]);
    expect(new Set([first, ...others]).size).toBe(4);
    expect(daemon.tool('run_script').definition.recorded_inputs).not.toContain('script');
    expect(daemon.tool('run_script').definition.recorded_inputs).not.toContain('args');
  });

  test('leaves nothing in the state folder', async () => {
    const spool = join(house.state, 'spool');
    const scripts = (): string[] => readdirSync(spool).flatMap((life) => (existsSync(join(spool, life, 'scripts')) ? readdirSync(join(spool, life, 'scripts')) : []));
    await until(() => scripts().length === 0, 'every script was removed');
  });
});
