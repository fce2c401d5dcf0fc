import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readdirSync, rmSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStandardInput } from '../../../src/runner/process/standard-input.js';
import { executionHouse, refused, type ExecutionHouse } from '../jobs/execution-house.js';

let folder: string;
let house: ExecutionHouse;
let made = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wc-stdin-'));
  house = await executionHouse();
});
afterAll(async () => {
  await house.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A FIFO whose writing end is open. */
function fifo(): { readonly path: string; readonly write: (text: string) => void; readonly close: () => void } {
  const path = join(folder, `pipe-${made++}`);
  execFileSync('mkfifo', ['-m', '600', path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  return {
    path,
    write: (text) => writeSync(writer, text),
    close: () => {
      closeSync(writer);
      closeSync(reader);
    },
  };
}

describe('text', () => {
  it('leaves no file behind', async () => {
    const place = mkdtempSync(join(folder, 'text-'));
    const handle = await openStandardInput(place, 'some text');
    expect(readdirSync(place)).toEqual([]);
    expect((await handle.readFile()).toString()).toBe('some text');
    await handle.close();
  });
});

describe('a pipe', () => {
  it('is read as it comes, by a program that waits for it', async () => {
    const pipe = fifo();
    pipe.write('one\n');
    const report = await house.shell('while read -r line; do echo "got $line"; done; echo end', { stdin: { pipe: pipe.path }, stream_output: true }, {
      onNote: ({ text }) => {
        if (text.includes('got one')) pipe.write('two\n');
        if (text.includes('got two')) pipe.close();
        return true;
      },
    });
    expect(report).toMatchObject({ exit_code: 0, stdout: { text: 'got one\ngot two\nend\n' } });
  });

  it('that stays silent holds up nobody who does not read', async () => {
    const pipe = fifo();
    expect(await house.shell('echo on', { stdin: { pipe: pipe.path } })).toMatchObject({ exit_code: 0, stdout: { text: 'on\n' } });
    pipe.close();
  });

  it('is a blocking one for the program', async () => {
    const pipe = fifo();
    const reading = house.shell('cat', { stdin: { pipe: pipe.path } });
    setTimeout(() => {
      pipe.write('late');
      pipe.close();
    }, 200);
    expect(await reading).toMatchObject({ exit_code: 0, stdout: { text: 'late' }, stderr: { text: '' } });
  });

  it('whose writer is gone is at its end', async () => {
    const pipe = fifo();
    pipe.close();
    expect(await house.shell('cat; echo end', { stdin: { pipe: pipe.path } })).toMatchObject({ exit_code: 0, stdout: { text: 'end\n' } });
  });

  it('that is none is refused, and nothing starts', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'secret');
    const pipe = fifo();
    const link = join(folder, 'link');
    symlinkSync(pipe.path, link);
    for (const path of [file, folder, link, join(folder, 'nothing'), '/dev/null']) {
      const answer = await house.start({ program: { kind: 'process', executable: 'cat', args: [] }, stdin: { pipe: path } });
      const { message, detail } = refused(answer);
      expect(detail).toMatchObject({ execution_state: 'not_started', command_started: false });
      expect(message).toMatch(/^The command's standard input could not be set up: /);
    }
    pipe.close();
  });
});
