import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { executionHouse, outputModule, refused, until, type ExecutionHouse } from './execution-house.js';

let folder: string;
let house: ExecutionHouse;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wc-output-'));
});
afterEach(async () => {
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

const module = async (source: string): Promise<URL> => {
  const path = join(folder, 'output-thread.mjs');
  await writeFile(path, source);
  return pathToFileURL(path);
};

describe('an output thread that fails', () => {
  it('leaves commands of unknown outcome, and the next one gets a new thread', async () => {
    const crash = join(folder, 'crash');
    const crashing = `
      import { existsSync, unlinkSync } from 'node:fs';
      import ${JSON.stringify(outputModule.href)};
      setInterval(() => {
        if (!existsSync(${JSON.stringify(crash)})) return;
        unlinkSync(${JSON.stringify(crash)});
        throw new Error('the output thread was made to fail');
      }, 5);`;
    house = await executionHouse({ outputModule: await module(crashing) });
    let heard = '';
    const running = house.shell('echo begun; sleep 0.5', { stream_output: true }, { onNote: ({ text }) => (heard += text) !== '' });
    await until('the thread reads the output', () => (heard === 'begun\n' ? true : null));
    await writeFile(crash, '');
    expect(await running).toMatchObject({
      execution_state: 'outcome_unknown',
      failure_kind: 'outcome_unknown',
      tool_failure: true,
      exit_code: 0,
      output_incomplete: true,
    });
    expect(String(house.faults[0])).toContain('made to fail');
    expect(await house.shell('echo again')).toMatchObject({ execution_state: 'completed', stdout: { text: 'again\n' } });
  });

  it('that cannot even begin starts no command, and says so', async () => {
    house = await executionHouse({ outputModule: await module('throw new Error("no thread today");') });
    const answer = await house.start({ program: { kind: 'shell', command: 'touch started', shell: 'sh' } });
    expect(refused(answer)).toMatchObject({ error_kind: 'not_started', detail: { execution_state: 'not_started', failure_kind: 'runtime_error' } });
    await expect(house.project.read('started')).rejects.toThrow('ENOENT');
  });
});
