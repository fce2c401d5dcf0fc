import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
let folder: string;
let copy: string;

/** An installation whose SQLite library was unpacked and no script of it was run, as npm 12 does by itself. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wc-unbuilt-'));
  copy = join(folder, 'webcodex');
  for (const name of ['bin', 'dist', 'package.json', 'catalog.json', 'oclif.manifest.json']) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== 'better-sqlite3') symlinkSync(join(ROOT, 'node_modules', name), join(copy, 'node_modules', name));
  }
  for (const name of ['lib', 'package.json']) cpSync(join(ROOT, 'node_modules', 'better-sqlite3', name), join(copy, 'node_modules', 'better-sqlite3', name), { recursive: true });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function wc(...args: string[]): { readonly code: number | null; readonly out: string; readonly err: string } {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, WC_HOME: join(folder, 'state') };
  const { status, stdout, stderr } = spawnSync(join(copy, 'bin', 'webcodex'), args, { env, encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

const REPAIR = 'Run: npm install -g --allow-scripts=better-sqlite3 webcodex';

describe('an installation without the native part of SQLite', () => {
  it('says in one message what to run, and so does wc doctor', () => {
    const { code, err } = wc('list-tools', '--json');
    expect(code).toBe(3);
    expect(err.trimEnd().split('\n')).toEqual([expect.stringContaining(`the native part of better-sqlite3 is missing, since its install script did not run. ${REPAIR}`)]);
    const { findings } = JSON.parse(wc('doctor', '--json').out) as { findings: { check: string; status: string; fix: string }[] };
    expect(findings.find(({ check }) => check === 'sqlite')).toMatchObject({ status: 'broken', fix: expect.stringContaining(REPAIR) as string });
  });

  it('or with one that was made for another Node', () => {
    const release = join(copy, 'node_modules', 'better-sqlite3', 'build', 'Release');
    mkdirSync(release, { recursive: true });
    writeFileSync(join(release, 'better_sqlite3.node'), 'made elsewhere');
    const { code, err } = wc('list-tools', '--json');
    expect([code, err.split('\n').length]).toEqual([3, 2]);
    expect(err).toContain(`the native part of better-sqlite3 does not fit this Node (${process.version}). ${REPAIR}`);
  });
});
