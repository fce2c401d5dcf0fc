import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunnerPort } from '../../../src/daemon/runner-link/port.js';
import { looking, projectProbe } from '../../../src/daemon/validation/project-probe.js';
import { failure } from '../../../src/protocol/tool-result.js';
import { ExecutionHouse, projectAt, type DaemonSide } from '../execution/execution-house.js';

const house = new ExecutionHouse();
let daemon: DaemonSide;
const probe = () => projectProbe(daemon.link, house.project, new AbortController().signal);
const write = (path: string, content: string | Buffer): void => writeFileSync(join(house.projectPath, path), content);

beforeAll(() => {
  daemon = house.daemon();
  mkdirSync(join(house.projectPath, 'folder'));
  write('go.mod', 'module example.com/a\n');
  write('empty', '');
  write('binary', Buffer.from([0xff, 0xfe, 0x00]));
  write('large', 'x'.repeat(192 * 1024 + 1));
  write('long', 'line\n'.repeat(60_000));
  symlinkSync('go.mod', join(house.projectPath, 'link-inside'));
  symlinkSync('/etc/hostname', join(house.projectPath, 'link-outside'));
  symlinkSync('nowhere', join(house.projectPath, 'dangling'));
});
afterAll(() => house.close());

describe('what an adapter sees of a project', () => {
  it('the files that are there, text or not, and of links those that stay inside', async () => {
    const asked = ['go.mod', 'empty', 'binary', 'large', 'long', 'link-inside', 'link-outside', 'dangling', 'folder', 'absent', 'folder/absent', '../outside'];
    expect([...(await probe().files(asked))]).toEqual(['go.mod', 'empty', 'binary', 'large', 'long', 'link-inside']);
  });

  it('a whole text, or none', async () => {
    expect(await probe().text('go.mod')).toBe('module example.com/a\n');
    expect(await probe().text('link-inside')).toBe('module example.com/a\n');
    for (const path of ['binary', 'large', 'long', 'link-outside', 'dangling', 'folder', 'absent', '../outside']) {
      expect(await probe().text(path), path).toBeNull();
    }
  });

  it('nothing of a project that cannot be looked at: the Runner’s failure is the answer', async () => {
    const unavailable = failure('runner_unavailable', 'The Runner is not there.');
    const gone: RunnerPort = { state: null, onInstance: () => undefined, call: () => Promise.resolve({ failure: unavailable }) };
    const blind = projectProbe(gone, house.project, new AbortController().signal);
    expect(await looking(() => blind.files(['go.mod']))).toEqual({ failure: unavailable });
    expect(await looking(() => blind.text('go.mod'))).toEqual({ failure: unavailable });
  });

  it('a project whose folder was replaced is not validated as an empty one', async () => {
    const elsewhere = projectAt('/', 'one');
    const project = { ...house.project, rootFingerprint: elsewhere.rootFingerprint };
    for (const [tool, args] of [['project_validate', { action: 'test' }], ['go_test', {}], ['cargo_check', {}]] as const) {
      const { result } = await daemon.call(tool, args, { project });
      expect(result.output, tool).toMatchObject({ execution_state: 'not_started', command_started: false });
      expect(result.output['error_kind'], tool).not.toBe('capability_unavailable');
    }
  });
});
