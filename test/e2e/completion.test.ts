import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CliPlace } from './cli.js';
import { cliPlace } from './cli.js';

let place: CliPlace;
const script = (shell: string): string => join(place.folder, `wc.${shell}`);

beforeAll(() => {
  place = cliPlace();
  for (const shell of ['bash', 'zsh', 'fish']) writeFileSync(script(shell), place.wc(['completion', shell]).out);
});
afterAll(() => {
  place.close();
});

/** What bash offers for a line whose last word is being typed; words as bash splits them. */
function offers(lines: readonly (readonly string[])[]): readonly string[] {
  const asked = lines.map((words) => `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _webcodex; echo "\${COMPREPLY[*]}"`);
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-u', '-c', `source '${script('bash')}'\n${asked.join('\n')}`], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').slice(0, -1);
}

describe('completion', () => {
  it('offers commands, flags and values in bash, and leaves files to the shell', () => {
    expect(
      offers([
        ['wc', 'mc'],
        ['wc', 'mcp', ''],
        ['wc', 'mcp', 'install', 'cl'],
        ['webcodex', 'job', 'logs', '--f'],
        ['wc', 'job', 'logs', '--stream', ''],
        ['wc', 'job', 'logs', '--stream', '=', 'stde'],
        ['wc', 'completion', 'bash', ''],
        ['wc', 'README'],
        ['wc', 'run-process', '--', 'ls', '--'],
        ['wc', 'project', 'add', '--js'],
      ]),
    ).toEqual(['mcp', 'install list uninstall', 'claude-code claude-desktop', '--full --follow', 'stdout stderr', 'stderr', '', '', '', '--json']);
  });

  it('is registered for both names, and read by each shell that is there', () => {
    const { stdout } = spawnSync('bash', ['--norc', '-c', `source '${script('bash')}'; complete -p wc webcodex`], { encoding: 'utf8' });
    expect(stdout).toBe('complete -o default -F _webcodex wc\ncomplete -o default -F _webcodex webcodex\n');
    for (const [shell, check] of [['bash', '-n'], ['zsh', '-n'], ['fish', '--no-execute']] as const) {
      const { error, stderr } = spawnSync(shell, [check, script(shell)], { encoding: 'utf8' });
      // A shell that is not installed reads nothing.
      expect(error === undefined ? stderr : '', shell).toBe('');
    }
    expect(place.wc(['completion', 'tcsh']).code).toBe(2);
  });
});
