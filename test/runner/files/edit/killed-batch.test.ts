import { spawnSync } from 'node:child_process';
import { appendFile, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { settleEdits } from '../../../../src/runner/files/index.js';
import { temporaryProject, type TemporaryProject } from '../../temporary-project.js';
import type { KilledWrite } from './write-until-killed.js';

let program: TemporaryProject;
let project: TemporaryProject;

beforeAll(async () => {
  program = await temporaryProject();
  await build({
    entryPoints: [new URL('write-until-killed.ts', import.meta.url).pathname],
    outfile: program.path('write.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
});
afterAll(() => program.remove());
beforeEach(async () => {
  project = await temporaryProject();
});
afterEach(() => project.remove());

const journal = (): string => join(project.base, 'journal');
const stepsFile = (): string => join(project.base, 'steps');

const CHANGES: KilledWrite['changes'] = [
  { kind: 'edit', path: 'a.txt', edits: [{ kind: 'replace_exact', old_text: 'a1', new_text: 'a2' }] },
  { kind: 'create', path: 'new/deep/b.txt', content: 'b2\n' },
  { kind: 'delete', path: 'c.txt' },
  { kind: 'rename', path: 'd.txt', to_path: 'moved/d.txt' },
  { kind: 'move', path: 'e.txt', to_path: 'moved/e2.txt', text: 'e2\n' },
  { kind: 'edit', path: 'f.txt', edits: [{ kind: 'delete_exact', old_text: 'f1\n' }] },
];
const BEFORE = { 'a.txt': 'a1\n', 'c.txt': 'c1\n', 'd.txt': 'd1\n', 'e.txt': 'e1\n', 'f.txt': 'f1\nf3\n' };
const AFTER = { 'a.txt': 'a2\n', 'f.txt': 'f3\n', moved: '', 'moved/d.txt': 'd1\n', 'moved/e2.txt': 'e2\n', new: '', 'new/deep': '', 'new/deep/b.txt': 'b2\n' };

/** Writes the batch in a process of its own, killed at that step; whether it was. */
function write(killAt: number): boolean {
  const order: KilledWrite = { root: project.root, journal: journal(), changes: CHANGES, killAt, steps: stepsFile() };
  const { signal, status, stderr } = spawnSync(process.execPath, [program.path('write.mjs'), JSON.stringify(order)], { encoding: 'utf8' });
  if (signal === null && status !== 0) throw new Error(stderr);
  return signal === 'SIGKILL';
}

async function fill(): Promise<void> {
  await rm(journal(), { recursive: true, force: true });
  for (const name of await readdir(project.folder)) await rm(project.path(name), { recursive: true });
  for (const [name, text] of Object.entries(BEFORE)) await project.write(name, text);
}

async function tree(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(project.folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    found[path.slice(project.folder.length + 1)] = entry.isFile() ? await readFile(path, 'utf8') : '';
  }
  return found;
}

describe('a Runner that is killed while it writes a batch', () => {
  it('leaves a batch that the next one takes back or finishes, whatever the step', async () => {
    await fill();
    expect(write(0)).toBe(false);
    expect(await tree()).toEqual(AFTER);
    expect(await readdir(journal())).toEqual([]);
    const steps = Number(await readFile(stepsFile(), 'utf8'));
    // Each staged file, each folder, each link and rename, and the marks of the journal.
    expect(steps).toBeGreaterThan(15);
    const ends = new Set<string>();
    for (let step = 1; step <= steps; step += 1) {
      await fill();
      const inode = (await stat(project.path('a.txt'))).ino;
      expect(write(step), `step ${step}`).toBe(true);
      const settled = await settleEdits(journal());
      expect(settled.left, `step ${step}`).toBe(0);
      const isUndone = settled.undone === 1;
      expect(settled.finished, `step ${step}`).toBe(isUndone ? 0 : 1);
      expect(await tree(), `step ${step}`).toEqual(isUndone ? BEFORE : AFTER);
      if (isUndone) expect((await stat(project.path('a.txt'))).ino).toBe(inode);
      expect(await readdir(project.base)).not.toContain('journal');
      ends.add(isUndone ? 'undone' : 'finished');
    }
    expect([...ends]).toEqual(['undone', 'finished']);
  }, 120_000);

  it('leaves alone what somebody else put in the way since, and counts it', async () => {
    await fill();
    write(0);
    const steps = Number(await readFile(stepsFile(), 'utf8'));
    await fill();
    // Two steps before the batch counts as written everything stands in its place.
    expect(write(steps - 2)).toBe(true);
    await writeFile(project.path('a.txt'), 'theirs\n');
    await writeFile(project.path('new/deep/theirs.txt'), '');
    expect(await settleEdits(journal())).toEqual({ finished: 0, undone: 1, left: 3 });
    const { 'a.txt': theirs, 'c.txt': c, 'd.txt': d, 'e.txt': e, 'f.txt': f } = await tree();
    expect({ theirs, c, d, e, f }).toEqual({ theirs: 'theirs\n', c: 'c1\n', d: 'd1\n', e: 'e1\n', f: 'f1\nf3\n' });
  }, 30_000);

  it('does not follow a link that took the place of a folder', async () => {
    await fill();
    write(0);
    const steps = Number(await readFile(stepsFile(), 'utf8'));
    await fill();
    write(steps - 2);
    const outside = join(project.base, 'outside');
    await rm(outside, { recursive: true, force: true });
    await project.write('../outside/d.txt', 'd1\n');
    await rm(project.path('moved'), { recursive: true });
    await symlink(outside, project.path('moved'));
    await settleEdits(journal());
    expect(await readdir(outside)).toEqual(['d.txt']);
  }, 30_000);

  it('takes a journal whose last line was cut for one that does not have it', async () => {
    await fill();
    write(0);
    const steps = Number(await readFile(stepsFile(), 'utf8'));
    await fill();
    write(steps - 2);
    const [name] = await readdir(journal());
    await appendFile(join(journal(), name ?? ''), '{"committed":tr');
    expect(await settleEdits(journal())).toEqual({ finished: 0, undone: 1, left: 0 });
    expect(await tree()).toEqual(BEFORE);
  }, 30_000);
});
