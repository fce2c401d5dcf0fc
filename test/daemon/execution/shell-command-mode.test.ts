import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shellCommandMode } from '../../../src/daemon/execution/shell-command-mode.js';
import { shellCommandLine } from '../../../src/daemon/execution/shell-words.js';

describe('command text that goes through a shell', () => {
  test.each([
    ['sh', ['-c', 'id'], { command: 'id', shell: 'sh' }],
    ['/bin/bash', ['-c', 'a && b'], { command: 'a && b', shell: 'bash' }],
    ['bash', ['-lc', 'id'], { command: 'bash -lc id' }],
    ['bash', ['-euo', 'pipefail', '-c', 'id'], { command: 'bash -euo pipefail -c id' }],
    ['bash', ['--rcfile', 'x', '-c', 'id'], { command: 'bash --rcfile x -c id' }],
    ['sh', ['-c', 'echo "$1"', 'sh', "it's"], { command: `sh -c 'echo "$1"' sh 'it'\\''s'` }],
    ['zsh', ['-c', 'id'], { command: 'zsh -c id' }],
    ['/usr/bin/env', ['A=b', 'sh', '-c', 'id'], { command: '/usr/bin/env A=b sh -c id' }],
    ['env', ['-i', 'sh', '-c', 'id'], { command: 'env -i sh -c id' }],
    ['busybox', ['sh', '-c', 'id'], { command: 'busybox sh -c id' }],
  ])('%s %j', (executable, args, equivalent) => {
    expect(shellCommandMode(executable, args)).toEqual(equivalent);
  });

  test.each([
    ['sh', ['script.sh']],
    ['sh', ['script.sh', '-c', 'x']],
    ['bash', ['-e', 'script.sh', '-c']],
    ['bash', ['--', '-c']],
    ['bash', ['-x']],
    ['grep', ['-c', 'x']],
    ['env', ['A=b', 'node', '-c', 'x']],
    ['env', []],
    ['node', ['sh', '-c', 'id']],
  ])('none: %s %j', (executable, args) => {
    expect(shellCommandMode(executable, args)).toBeNull();
  });
});

test('a quoted command line is taken apart into exactly the same arguments', () => {
  const argument = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(argument, { maxLength: 5 }), (argv) => {
      const print = "process.stdout.write(JSON.stringify(process.argv.slice(1)))";
      const line = shellCommandLine([process.execPath, '-e', print, '--', ...argv]);
      expect(JSON.parse(spawnSync('sh', ['-c', line], { encoding: 'utf8' }).stdout)).toEqual(argv);
    }),
    { numRuns: 25 },
  );
});
