import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { configureMethod } from '../../../src/protocol/runner/settings.js';
import { executionHouse, refused, type ExecutionHouse, type StartParams } from '../jobs/execution-house.js';

let house: ExecutionHouse;
beforeEach(async () => {
  house = await executionHouse();
});
afterEach(() => house.close());

const configure = (settings: z.input<typeof configureMethod.params>): Promise<unknown> => house.ask(configureMethod, settings);
const touch = (params: Partial<StartParams> = {}): ReturnType<ExecutionHouse['start']> =>
  house.start({ program: { kind: 'shell', command: 'touch made', shell: 'sh' }, ...params });
const DENIED = { execution_state: 'not_started', command_started: false, state_changed: false, failure_kind: 'permission_denied' };

describe('allowed roots', () => {
  it('bind every start, also in a project that was registered before they became narrower', async () => {
    await configure({ allowed_roots: [join(house.project.base, 'elsewhere'), '/does/not/exist'] });
    for (const mode of ['foreground', 'job'] as const) {
      expect(refused(await touch({ mode }))).toMatchObject({
        error_kind: 'permission_denied',
        detail: { ...DENIED, reason_code: 'outside_allowed_roots' },
      });
    }
    await expect(house.project.read('made')).rejects.toThrow();
  });

  it('are judged by where folders really lie', async () => {
    await mkdir(join(house.project.folder, 'sub'));
    await symlink(house.project.base, join(house.project.base, 'link'));
    await configure({ allowed_roots: [join(house.project.base, 'link', 'project', 'sub')] });
    expect(refused(await touch()).error_kind).toBe('permission_denied');
    expect(await touch({ cwd: 'sub' })).toMatchObject({ outcome: 'finished', report: { exit_code: 0, cwd: 'sub' } });
  });

  it('a neighbour whose name begins alike is outside', async () => {
    await configure({ allowed_roots: [`${house.project.folder}-not`, house.project.folder.slice(0, -1)] });
    expect(refused(await touch()).error_kind).toBe('permission_denied');
  });

  it("allow_cwd_anywhere lifts them, and never the project's own root", async () => {
    await mkdir(join(house.project.base, 'outside'));
    await symlink(join(house.project.base, 'outside'), house.project.path('way-out'));
    await configure({ allowed_roots: ['/nowhere'], allow_cwd_anywhere: true });
    expect(await touch()).toMatchObject({ outcome: 'finished', report: { exit_code: 0 } });
    expect(refused(await touch({ cwd: 'way-out' }))).toMatchObject({ error_kind: 'permission_denied', detail: DENIED });
    expect(refused(await touch({ cwd: '../outside' })).detail).toMatchObject({ execution_state: 'not_started' });
  });

  it('[03-A19] the root is looked at anew for every start: replaced or gone starts nothing', async () => {
    await rename(house.project.folder, join(house.project.base, 'old'));
    expect(refused(await touch())).toMatchObject({ error_kind: 'project_root_changed', detail: { execution_state: 'not_started', reason_code: 'root_missing' } });
    await mkdir(house.project.folder);
    expect(refused(await touch())).toMatchObject({ error_kind: 'project_root_changed', detail: { execution_state: 'not_started', reason_code: 'root_replaced' } });
    await rm(house.project.folder, { recursive: true });
  });

  it('a Job that waits for its turn is judged when its turn comes', async () => {
    await house.close();
    house = await executionHouse({ maxConcurrentJobs: 1 });
    const first = await house.job('while [ ! -e go ]; do sleep 0.02; done');
    const second = await house.job('touch made');
    expect(second.status).toBe('agent_queued');
    await configure({ allowed_roots: ['/nowhere'] });
    await house.project.write('go', '');
    expect((await house.ended(first.job_id)).status).toBe('completed');
    expect(await house.ended(second.job_id)).toMatchObject({ status: 'failed', execution_state: 'not_started', failure_kind: 'permission_denied' });
    await expect(house.project.read('made')).rejects.toThrow();
  });
});

describe('allow_raw_shell: false', () => {
  it.each(['run_process', 'run_script', 'run_shell', 'run_job'])('denies %s', async (source) => {
    await configure({ allow_raw_shell: false });
    expect(refused(await touch({ source, mode: source === 'run_job' ? 'job' : 'foreground' }))).toMatchObject({
      error_kind: 'permission_denied',
      detail: { ...DENIED, reason_code: 'raw_shell_disabled' },
    });
    await expect(house.project.read('made')).rejects.toThrow();
  });

  it('leaves the validation tools, and denies whatever it does not know', async () => {
    await configure({ allow_raw_shell: false });
    for (const source of ['cargo_fmt', 'cargo_check', 'cargo_test', 'go_test', 'project_validate']) {
      expect(await touch({ source })).toMatchObject({ outcome: 'finished' });
    }
    expect(refused(await touch({ source: 'a_tool_of_tomorrow' })).error_kind).toBe('permission_denied');
  });
});
