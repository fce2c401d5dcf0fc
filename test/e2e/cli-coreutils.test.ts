import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const OURS = join(import.meta.dirname, '..', '..', 'bin', 'wc');
const THEIRS = '/usr/bin/wc';
let folder: string;

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function run(program: string, args: readonly string[], options: { readonly input?: string; readonly env?: NodeJS.ProcessEnv } = {}): Run {
  const env = { ...process.env, WC_HOME: join(folder, 'state'), ...options.env };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, env, input: options.input ?? '', encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

/** The same with the name of the program taken out of what it says. */
function named({ code, out, err }: Run): Run {
  return { code, out, err: err.replaceAll(OURS, 'wc').replaceAll(THEIRS, 'wc') };
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wc-coreutils-'));
  mkdirSync(join(folder, 'state'), { mode: 0o700 });
  writeFileSync(join(folder, 'a.txt'), 'one two\nthree\n');
  writeFileSync(join(folder, 'notes'), 'a plain word that is a file\n');
  writeFileSync(join(folder, 'list-tols'), 'a file named like a typing mistake\n');
  writeFileSync(join(folder, 'session'), 'a file named like a topic of ours\n');
  writeFileSync(join(folder, 'ünï cödé.txt'), 'grüße\n');
  writeFileSync(join(folder, 'names'), 'a.txt\0notes\0');
  mkdirSync(join(folder, 'folder'));
  symlinkSync('a.txt', join(folder, 'link'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('wc is the word counter of the system', () => {
  it.each([
    { args: [], input: 'some words\nfrom standard input\n' },
    { args: ['-l'], input: '1\n2\n3\n' },
    { args: ['-l', 'a.txt'] },
    { args: ['-lwc', 'a.txt', 'notes'] },
    { args: ['a.txt'] },
    { args: ['a.txt', 'notes', 'missing.txt'] },
    { args: ['notes'] },
    { args: ['list-tols'] },
    { args: ['link'] },
    { args: ['./session'] },
    { args: ['ünï cödé.txt'] },
    { args: ['-m', 'ünï cödé.txt'] },
    { args: ['-L', 'a.txt'] },
    { args: ['--lines', 'a.txt'] },
    { args: ['--files0-from=names'] },
    { args: ['-'], input: 'dash\n' },
    { args: ['--', 'a.txt'] },
    { args: ['-l', 'missing.txt'] },
    { args: ['-l', 'list-tools'] },
    { args: ['--no-such-flag'] },
    { args: ['-c', '--help'] },
  ])('wc $args', ({ args, input }) => {
    const options = input === undefined ? {} : { input };
    const theirs = named(run(THEIRS, args, options));
    expect(named(run(OURS, args, options))).toEqual(theirs);
  });

  it('counts a large input without touching it', () => {
    const input = 'line of text\n'.repeat(200_000);
    expect(run(OURS, ['-l'], { input })).toEqual({ code: 0, out: '200000\n', err: '' });
  });
});

describe('wc is ours', () => {
  it.each([['--version'], ['--help'], ['-h'], ['session', '--help']])('for %s', (...args) => {
    const { code, out } = run(OURS, args);
    expect(code).toBe(0);
    expect(out).toMatch(/webcodex|USAGE/);
  });

  it('for a topic, also where a file of that name stands', () => {
    expect(run(OURS, ['session']).out).toContain('session list');
  });

  it('for a word that is neither a file nor a command: exit code 2 and what was meant', () => {
    expect(run(OURS, ['list-tolls'])).toEqual({
      code: 2,
      out: '',
      err: "wc: 'list-tolls' is no command of wc. Did you mean 'wc list-tools'?\n",
    });
    expect(run(OURS, ['missing.txt'])).toMatchObject({ code: 2, out: '' });
    expect(run(OURS, ['folder'])).toMatchObject({ code: 2, out: '' });
    expect(run(OURS, [''])).toMatchObject({ code: 2, out: '' });
  });
});

describe('handing over', () => {
  const first = (...folders: string[]): NodeJS.ProcessEnv => ({ PATH: [...folders, process.env['PATH']].join(delimiter) });

  it('passes over links to itself on PATH', () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    symlinkSync(OURS, join(bin, 'wc'));
    const env = first(bin);
    expect(run('wc', ['-l', 'a.txt'], { env })).toEqual({ code: 0, out: '2 a.txt\n', err: '' });
    expect(run('wc', ['--version'], { env }).out).toMatch(/^webcodex /);
  });

  it('ends at the system also through a launcher that leads back', () => {
    const bin = join(folder, 'launchers');
    mkdirSync(bin);
    writeFileSync(join(bin, 'wc'), `#!/bin/sh\nexec '${OURS}' "$@"\n`);
    chmodSync(join(bin, 'wc'), 0o755);
    expect(run('wc', ['-l', 'a.txt'], { env: first(bin) })).toEqual({ code: 0, out: '2 a.txt\n', err: '' });
  });

  it('takes the first other wc on PATH', () => {
    const bin = join(folder, 'other');
    mkdirSync(bin);
    writeFileSync(join(bin, 'wc'), '#!/bin/sh\necho "the other one: $*"\n');
    chmodSync(join(bin, 'wc'), 0o755);
    expect(run(OURS, ['-l', 'x y'], { env: first(bin) }).out).toBe('the other one: -l x y\n');
  });

  it('never happens under the name webcodex', () => {
    const webcodex = join(import.meta.dirname, '..', '..', 'bin', 'webcodex');
    expect(run(webcodex, []).out).toContain('USAGE');
    expect(run(webcodex, ['a.txt'])).toMatchObject({ code: 2, out: '' });
    expect(run(webcodex, ['-l'])).toMatchObject({ code: 2, out: '' });
  });
});
