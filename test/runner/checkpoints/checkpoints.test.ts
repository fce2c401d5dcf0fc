import { execFileSync, spawn } from 'node:child_process';
import { chmod, mkdir, readdir, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asOtherUser } from '../as-other-user.js';
import { temporaryProject, type TemporaryProject } from '../temporary-project.js';
import { checkpointHouse, stateOf, type CheckpointHouse } from './checkpoint-house.js';

let project: TemporaryProject;
let house: CheckpointHouse;

beforeEach(async () => {
  project = await temporaryProject();
  house = checkpointHouse(project);
  project.git('init', '-q');
});
afterEach(async () => {
  await chmod(project.folder, 0o755);
  await project.remove();
});

async function commitFiles(files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) await project.write(path, content);
  project.git('add', '-A');
  project.git('commit', '-q', '-m', 'base');
}

/** Staged, unstaged and both; new, gone, mode and link. */
async function changeEverything(): Promise<void> {
  await project.write('both.txt', 'staged\n');
  await project.write('staged.txt', 'staged\n');
  await project.write('new/staged.bin', Buffer.from([0, 1, 255, 0]).toString('latin1'));
  project.git('add', '-A');
  project.git('rm', '-q', '--cached', 'unindexed.txt');
  await unlink(project.path('unindexed.txt'));
  await project.write('both.txt', 'unstaged\r\nmixed\n');
  await unlink(project.path('gone.txt'));
  await chmod(project.path('mode.sh'), 0o755);
  await unlink(project.path('link'));
  await symlink('elsewhere', project.path('link'));
}

const BASE = { 'both.txt': 'base\n', 'staged.txt': 'base\n', 'gone.txt': 'base\n', 'unindexed.txt': 'base\n', 'mode.sh': '#!/bin/sh\n', 'deep/a/b.txt': 'base\n' };

async function commitBase(): Promise<void> {
  await symlink('both.txt', project.path('link'));
  await commitFiles(BASE);
}

describe('creating', () => {
  it('writes nothing into the project and its repository, and keeps everything private', async () => {
    await commitBase();
    await changeEverything();
    project.git('status');
    const before = await stateOf(project);
    const git = await tree(project.path('.git'));
    const id = await house.create({ title: 'kept' });
    expect(await stateOf(project)).toEqual(before);
    expect(await tree(project.path('.git'))).toEqual(git);
    for (const path of await tree(house.folder)) {
      const { mode } = await stat(path);
      expect([path, mode & 0o077]).toEqual([path, 0]);
    }
    expect(await house.read(id)).toMatchObject({
      checkpoint: { title: 'kept', automatic: false, branch: 'main', counts: { tracked: 7, untracked: 0, skipped: 0 } },
      paths: ['both.txt', 'gone.txt', 'link', 'mode.sh', 'new/staged.bin', 'staged.txt', 'unindexed.txt'],
      diff_stat: { staged: { files: 4 }, unstaged: { files: 3 } },
    });
  });

  it('keeps untracked text within its bounds and names what it leaves out', async () => {
    await commitBase();
    await project.write('.gitignore', 'ignored.txt\n');
    project.git('add', '.gitignore');
    await project.write('ignored.txt', 'x');
    await project.write('note.txt', 'a note\n');
    await project.write('.env.local', 'KEY=1\n');
    await project.write('big.txt', 'x'.repeat(256 * 1024 + 1));
    await project.write('binary', Buffer.from([0, 1]));
    const id = await house.create({ untracked: true });
    expect(await house.read(id)).toMatchObject({
      untracked_paths: ['note.txt'],
      skipped_files: [
        { path: '.env.local', reason_code: 'secret_path' },
        { path: 'big.txt', reason_code: 'file_too_large' },
        { path: 'binary', reason_code: 'not_text' },
      ],
    });
    for (let file = 0; file < 70; file += 1) await project.write(`many/${String(file).padStart(2, '0')}.txt`, `${file}\n`);
    const many = (await house.read(await house.create({ untracked: true }))) as { untracked_paths: string[]; skipped_files: unknown[] };
    expect(many.untracked_paths).toHaveLength(64);
    expect(many.skipped_files).toContainEqual({ path: 'note.txt', reason_code: 'too_many_files' });
  });

  it('refuses a diff over 1 MiB, a protected name, a name that is no UTF-8, and a conflict', async () => {
    await commitBase();
    await project.write('both.txt', `${'x'.repeat(99)}\n`.repeat(11_000));
    expect(await house.tryCreate()).toMatchObject({ refused: { error_kind: 'checkpoint_too_large' } });
    await project.write('both.txt', 'small\n');
    await project.write('server.pem', 'secret\n');
    project.git('add', '-A');
    expect(await house.tryCreate()).toMatchObject({
      refused: { error_kind: 'sensitive_or_invalid_path', detail: { path: 'server.pem', reason_code: 'secret_path' } },
    });
    project.git('rm', '-q', '-f', 'server.pem');
    await writeFile(Buffer.concat([Buffer.from(`${project.folder}/bad-`), Buffer.from([0xff])]), 'x');
    project.git('add', '-A');
    expect(await house.tryCreate()).toMatchObject({ refused: { error_kind: 'sensitive_or_invalid_path', detail: { reason_code: 'not_utf8' } } });
    project.git('reset', '-q', '--hard');
    project.git('checkout', '-q', '-b', 'other');
    await commitFiles({ 'both.txt': 'other\n' });
    project.git('checkout', '-q', 'main');
    await commitFiles({ 'both.txt': 'ours\n' });
    expect(() => project.git('merge', 'other')).toThrow();
    expect(await house.tryCreate()).toMatchObject({ refused: { error_kind: 'unsafe_current_state', detail: { reason_code: 'unmerged' } } });
  });

  it('takes a tracked file that became a FIFO for one that is gone, and leaves the FIFO where it is', async () => {
    await commitBase();
    await unlink(project.path('both.txt'));
    execFileSync('mkfifo', [project.path('both.txt')]);
    await project.write('staged.txt', 'changed\n');
    const id = await house.create();
    expect(await house.read(id)).toMatchObject({ paths: ['both.txt', 'staged.txt'], diff_stat: { unstaged: { files: 1, insertions: 1, deletions: 1 } } });
    await project.write('staged.txt', 'changed again\n');
    expect((await house.restore(id)).changed_paths).toEqual(['staged.txt']);
    expect([await project.read('staged.txt'), (await stat(project.path('both.txt'))).isFIFO()]).toEqual(['changed\n', true]);
  });

  it('needs a repository; HEAD may be unborn', async () => {
    await project.write('a.txt', 'one\n');
    project.git('add', 'a.txt');
    const id = await house.create();
    const before = await stateOf(project);
    await project.write('a.txt', 'two\n');
    await project.write('b.txt', 'two\n');
    project.git('add', '-A');
    await house.restore(id);
    expect(await stateOf(project)).toEqual(before);
    await rm(project.path('.git'), { recursive: true });
    expect(await house.tryCreate()).toMatchObject({ refused: { error_kind: 'not_a_git_repository' } });
  });
});

describe('restoring', () => {
  it('brings index, contents, modes and links back, and keeps what it replaced', async () => {
    await commitBase();
    await changeEverything();
    const kept = await stateOf(project);
    const id = await house.create();
    project.git('reset', '-q', '--hard');
    await project.write('both.txt', 'later\n');
    await project.write('deep/a/b.txt', 'later, and not in the checkpoint\n');
    await project.write('later.txt', 'added later\n');
    project.git('add', 'later.txt');
    const later = await stateOf(project);

    const restored = await house.restore(id);
    expect(await stateOf(project)).toEqual(kept);
    expect(restored.index_changed).toBe(true);
    expect(restored.changed_paths).toContain('deep/a/b.txt');
    const previous = restored.previous_state_checkpoint_id ?? '';
    expect(await house.list()).toMatchObject({ total: 2, checkpoints: [{ checkpoint_id: previous, automatic: true }, { checkpoint_id: id }] });

    await house.restore(previous);
    expect(await stateOf(project)).toEqual(later);
    expect(await house.restore(previous)).toEqual({
      checkpoint_id: previous,
      previous_state_checkpoint_id: null,
      changed_paths: [],
      index_changed: false,
    });
  });

  it('gives staged content back that git has forgotten', async () => {
    await commitBase();
    await project.write('staged.txt', 'only in the index\n');
    project.git('add', '-A');
    const before = await stateOf(project);
    const id = await house.create();
    project.git('reset', '-q', '--hard');
    project.git('gc', '-q', '--prune=now');
    await house.restore(id);
    expect(await stateOf(project)).toEqual(before);
    expect(project.git('show', ':staged.txt')).toBe('only in the index\n');
  });

  it('turns a folder into a file and back', async () => {
    await commitFiles({ 'thing/a.txt': 'a\n', 'thing/b.txt': 'b\n' });
    await rm(project.path('thing'), { recursive: true });
    await project.write('thing', 'a file\n');
    project.git('add', '-A');
    const asFile = await stateOf(project);
    const id = await house.create();
    project.git('reset', '-q', '--hard');
    const asFolder = await stateOf(project);
    const { previous_state_checkpoint_id: previous } = await house.restore(id);
    expect(await stateOf(project)).toEqual(asFile);
    expect(previous).toBeNull();
    project.git('reset', '-q', '--hard');
    expect(await stateOf(project)).toEqual(asFolder);
  });

  it('restores untracked files that are gone, and never overwrites one', async () => {
    await commitBase();
    await project.write('note.txt', 'a note\n');
    await project.write('both.txt', 'changed\n');
    const id = await house.create({ untracked: true });
    await unlink(project.path('note.txt'));
    await house.restore(id);
    expect(await project.read('note.txt')).toBe('a note\n');
    await project.write('note.txt', 'another note\n');
    await project.write('both.txt', 'changed again\n');
    const before = await stateOf(project);
    expect(await house.refusedRestore(id)).toMatchObject({
      error_kind: 'untracked_conflict',
      detail: { paths: ['note.txt'], total: 1, state_changed: false },
    });
    expect(await stateOf(project)).toEqual(before);
  });

  it('names the untracked file that lies where a folder has to be', async () => {
    await commitBase();
    await project.write('deep/inner/f.txt', 'base\n');
    project.git('add', 'deep');
    project.git('commit', '-q', '-m', 'deep');
    await project.write('deep/inner/f.txt', 'kept\n');
    const id = await house.create();
    await rm(project.path('deep'), { recursive: true });
    await project.write('deep', 'untracked\n');
    const before = await stateOf(project);
    expect(await house.refusedRestore(id)).toMatchObject({ error_kind: 'untracked_conflict', detail: { paths: ['deep'], total: 1, state_changed: false } });
    expect(await stateOf(project)).toEqual(before);
  });

  it('a state folder that takes nothing is refused, nothing is changed, and nothing is left over', async () => {
    await commitBase();
    await writeFile(house.folder, 'a file');
    await project.write('both.txt', 'kept\n');
    expect(await house.tryCreate()).toMatchObject({ refused: { error_kind: 'io_error', detail: { reason_code: 'enotdir', state_changed: false } } });
    await unlink(house.folder);
    const id = await house.create();
    await project.write('both.txt', 'newer\n');
    const [store = ''] = await readdir(house.folder);
    // A rename onto a folder with something in it fails, as one on a full disk does.
    await mkdir(join(house.folder, store, 'restore', 'occupied'), { recursive: true });
    const before = await stateOf(project);
    expect(await house.refusedRestore(id)).toMatchObject({ error_kind: 'io_error', detail: { reason_code: 'enotempty', state_changed: false } });
    expect(await stateOf(project)).toEqual(before);
    expect([(await house.list()).total, (await readdir(join(house.folder, store))).sort()]).toEqual([1, ['restore', id].sort()]);
  });

  it('at the bound of 200 none is made, and nothing is replaced that could not be kept', async () => {
    await commitBase();
    await project.write('both.txt', 'kept\n');
    const id = await house.create();
    const [store = ''] = await readdir(house.folder);
    for (let number = 1; number < 200; number += 1) {
      await mkdir(join(house.folder, store, `wc_ckpt_${number.toString(16).padStart(32, '0')}`));
    }
    const full = { error_kind: 'checkpoint_limit_reached', detail: { max_checkpoints: 200, state_changed: false } };
    expect(await house.tryCreate()).toMatchObject({ refused: full });
    await project.write('both.txt', 'newer\n');
    expect(await house.refusedRestore(id)).toMatchObject(full);
    expect(await project.read('both.txt')).toBe('newer\n');
    project.git('reset', '-q', '--hard');
    expect(await house.restore(id)).toMatchObject({ previous_state_checkpoint_id: null, changed_paths: ['both.txt'] });
  });

  it('[04-A39] [07-A38] at another HEAD it is refused and every byte stays', async () => {
    await commitBase();
    await project.write('both.txt', 'changed\n');
    const id = await house.create();
    project.git('commit', '-q', '-a', '-m', 'next');
    await project.write('both.txt', 'after the commit\n');
    const before = await stateOf(project);
    expect(await house.refusedRestore(id)).toMatchObject({
      error_kind: 'head_mismatch',
      detail: { state_changed: false, current_head: project.git('rev-parse', 'HEAD').trim() },
    });
    expect(await stateOf(project)).toEqual(before);
  });

  it('[07-A38] a failure in the second file takes everything back', async () => {
    await commitFiles({ 'a/1.txt': 'base\n', 'z/2.txt': 'base\n' });
    await project.write('a/1.txt', 'kept\n');
    await project.write('z/2.txt', 'kept\n');
    project.git('add', 'a/1.txt');
    const id = await house.create();
    project.git('reset', '-q', '--hard');
    await project.write('a/1.txt', 'now\n');
    const before = await stateOf(project);
    await chmodTree(project.base);
    await chmod(project.path('z'), 0o555);
    let refused: unknown;
    await asOtherUser(async () => {
      refused = await house.refusedRestore(id);
    });
    await chmod(project.path('z'), 0o755);
    expect(refused).toMatchObject({ error_kind: 'restore_failed', detail: { rolled_back: true, state_changed: false, reason_code: 'eacces' } });
    expect(withoutModes(await stateOf(project))).toEqual(withoutModes(before));
    expect((await house.list()).total).toBe(1);
  });

  it('refuses in the middle of a rebase, what cannot be kept, and a damaged checkpoint', async () => {
    await commitBase();
    await project.write('both.txt', 'kept\n');
    const id = await house.create();
    await project.write('server.key', 'secret\n');
    project.git('add', '-A');
    expect(await house.refusedRestore(id)).toMatchObject({
      error_kind: 'unsafe_current_state',
      detail: { reason_code: 'sensitive_or_invalid_path', state_changed: false },
    });
    project.git('reset', '-q', '--hard');
    await mkdir(project.path('.git/rebase-merge'));
    expect(await house.refusedRestore(id)).toMatchObject({ error_kind: 'unsafe_current_state', detail: { reason_code: 'rebase' } });
    await rm(project.path('.git/rebase-merge'), { recursive: true });
    for (const path of await tree(house.folder)) if (path.includes('/content/') && !(await stat(path)).isDirectory()) await writeFile(path, 'other bytes');
    const before = await stateOf(project);
    expect(await house.refusedRestore(id)).toMatchObject({ error_kind: 'invalid_checkpoint' });
    expect(await stateOf(project)).toEqual(before);
    expect(await house.refusedRestore('wc_ckpt_00000000000000000000000000000000')).toMatchObject({ error_kind: 'unknown_checkpoint' });
    expect(await house.refusedRestore('../../x')).toMatchObject({ error_kind: 'unknown_checkpoint' });
  });

  it('writes through no link that took a folder’s place', async () => {
    await commitFiles({ 'lib/a.txt': 'base\n' });
    await project.write('lib/a.txt', 'kept\n');
    const id = await house.create();
    await rm(project.path('lib'), { recursive: true });
    await mkdir(join(project.base, 'outside'));
    await symlink(join(project.base, 'outside'), project.path('lib'));
    const refused = await house.refusedRestore(id);
    expect(refused.error_kind).toBe('untracked_conflict');
    expect(await readdir(join(project.base, 'outside'))).toEqual([]);
  });

  it('leaves no lock and says so when another git holds it', async () => {
    await commitBase();
    await project.write('staged.txt', 'kept\n');
    project.git('add', '-A');
    const id = await house.create();
    project.git('reset', '-q', '--hard');
    const before = await stateOf(project);
    await writeFile(project.path('.git/index.lock'), '');
    expect(await house.refusedRestore(id)).toMatchObject({ error_kind: 'restore_failed', detail: { reason_code: 'repository_locked', rolled_back: true } });
    expect(await stateOf(project)).toEqual(before);
    await unlink(project.path('.git/index.lock'));
    await house.restore(id);
    expect(await project.read('staged.txt')).toBe('kept\n');
  });

  it('confines itself to the project when that is a folder of the repository', async () => {
    await commitFiles({ 'outer.txt': 'base\n', 'inner/a.txt': 'base\n' });
    const inner = await temporaryInner(project);
    const innerHouse = checkpointHouse(inner);
    await project.write('inner/a.txt', 'kept\n');
    project.git('add', '-A');
    const id = await innerHouse.create();
    project.git('reset', '-q', '--hard');
    await project.write('outer.txt', 'outside\n');
    project.git('add', '-A');
    await innerHouse.restore(id);
    expect([await project.read('inner/a.txt'), await project.read('outer.txt')]).toEqual(['kept\n', 'outside\n']);
    expect(project.git('diff', '--cached', '--name-only')).toBe('inner/a.txt\nouter.txt\n');
  });
});

describe('crashes', () => {
  it('a restore that is killed in the middle is taken back when the next Runner comes', async () => {
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, file) => [`f/${String(file).padStart(3, '0')}.txt`, `base ${file}\n`]));
    await commitFiles(files);
    for (const path of Object.keys(files)) await project.write(path, `kept ${path}\n`);
    project.git('add', 'f/000.txt', 'f/001.txt');
    const id = await house.create();
    for (const path of Object.keys(files)) await project.write(path, `now ${path}\n`);
    const before = await stateOf(project);
    const child = spawn(process.execPath, [
      fileURLToPath(new URL('doomed-restore.mjs', import.meta.url)),
      JSON.stringify({ folder: house.folder, root: project.root, checkpointId: id }),
    ]);
    const ended = new Promise((resolve) => child.once('close', resolve));
    while ((await project.read('f/010.txt')) !== 'kept f/010.txt\n' && child.exitCode === null) await new Promise(setImmediate);
    child.kill('SIGKILL');
    await ended;
    expect(await stateOf(project)).not.toEqual(before);

    const next = checkpointHouse(project);
    const { last_recovery: recovery } = await next.list();
    expect(recovery).toMatchObject({ checkpoint_id: id, left_paths: [] });
    expect(await stateOf(project)).toEqual(before);
    expect(next.faults).toEqual([]);
    await next.restore(id);
    expect(await project.read('f/059.txt')).toBe('kept f/059.txt\n');
  });

  it('takes away what was half made, and survives being started anew', async () => {
    await commitBase();
    await project.write('both.txt', 'kept\n');
    const id = await house.create();
    const [store = ''] = await readdir(house.folder);
    await mkdir(join(house.folder, store, '.new-wc_ckpt_x-00', 'content'), { recursive: true });
    const next = checkpointHouse(project);
    expect((await next.list()).checkpoints.map(({ checkpoint_id }) => checkpoint_id)).toEqual([id]);
    expect(await readdir(join(house.folder, store))).toEqual([id]);
    await project.write('both.txt', 'now\n');
    await next.restore(id);
    expect(await project.read('both.txt')).toBe('kept\n');
    await next.remove(id);
    expect(await next.remove(id)).toMatchObject({ refused: { error_kind: 'unknown_checkpoint' } });
  });
});

async function temporaryInner(outer: TemporaryProject): Promise<TemporaryProject> {
  const { rootOf } = await import('../temporary-project.js');
  return { ...outer, folder: outer.path('inner'), root: await rootOf(outer.path('inner')) };
}

async function tree(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries.map((name) => join(folder, name)).sort();
}

/** Everything of a test's own folder for whoever comes. */
async function chmodTree(folder: string): Promise<void> {
  await chmod(folder, 0o777);
  for (const path of await tree(folder)) {
    const status = await stat(path).catch(() => null);
    if (status !== null) await chmod(path, status.isDirectory() ? 0o777 : 0o666);
  }
}

function withoutModes(state: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [name, value.replace(/^[0-7]{3} /, '')]));
}
