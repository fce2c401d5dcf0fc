import { chmod, mkdir, readdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commitPathsMethod, removePathsMethod } from '../../../src/protocol/runner/git-writes.js';
import { createGitServices } from '../../../src/runner/git/index.js';
import { Turns } from '../../../src/runner/turns.js';
import { ask, temporaryProject, type TemporaryProject } from '../temporary-project.js';

let project: TemporaryProject;
const services = createGitServices({ environment: () => ({ PATH: process.env['PATH'], HOME: project.base }), turns: new Turns() });

beforeEach(async () => {
  project = await temporaryProject();
  project.git('init', '-q');
  project.git('config', 'user.name', 'Someone');
  project.git('config', 'user.email', 'someone@example.com');
  await commitFiles({ 'a.txt': 'base\n', 'gone.txt': 'base\n', 'dir/b.txt': 'base\n' });
});
afterEach(() => project.remove());

async function commitFiles(files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) await project.write(path, content);
  project.git('add', '-A');
  project.git('commit', '-q', '-m', 'state');
}

const head = (): string => project.git('rev-parse', 'HEAD').trim();

async function commit(paths: string[], overrides: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const params = { root: project.root, expected_head: head(), paths, message: 'A message\n\nWith a body', ...overrides };
  return (await ask(services, commitPathsMethod, params));
}

async function remove(action: string, paths: string[]): Promise<Record<string, unknown>> {
  return (await ask(services, removePathsMethod, { root: project.root, action, paths }));
}

const refused = (kind: string, detail: Record<string, unknown> = {}) => ({ refused: { error_kind: kind, detail } });

describe('git/commit_paths', () => {
  it('commits the named files whole, and leaves the others as they are', async () => {
    const before = head();
    await project.write('a.txt', 'changed\n');
    await project.write('new file.txt', 'new\n');
    await project.write('dir/b.txt', 'not committed\n');
    await unlink(project.path('gone.txt'));
    const answer = await commit(['a.txt', 'new file.txt', 'gone.txt']);
    expect(answer).toEqual({
      commit: head(),
      parent: before,
      branch: 'main',
      files: [
        { path: 'a.txt', change: 'modified' },
        { path: 'gone.txt', change: 'deleted' },
        { path: 'new file.txt', change: 'added' },
      ],
    });
    expect(project.git('log', '-1', '--format=%P|%an|%B').trim()).toBe(`${before}|Someone|A message\n\nWith a body`);
    expect(project.git('status', '--porcelain')).toBe(' M dir/b.txt\n');
    expect(project.git('reflog', '-1', '--format=%gs').trim()).toBe('commit: A message');
  });

  it('commits a link, a mode and names that look like patterns', async () => {
    await symlink('a.txt', project.path('link'));
    await chmod(project.path('a.txt'), 0o755);
    await project.write('*.txt', 'star\n');
    await project.write(':(top)x', 'magic\n');
    await commit(['link', 'a.txt', '*.txt', ':(top)x']);
    expect(project.git('ls-tree', '--format=%(objectmode) %(path)', 'HEAD')).toBe(
      '100644 *.txt\n100644 :(top)x\n100755 a.txt\n040000 dir\n100644 gone.txt\n120000 link\n',
    );
    expect(project.git('status', '--porcelain')).toBe('');
  });

  it('[04-A28] a moved HEAD and a staged file are refused, HEAD and index stay', async () => {
    const old = head();
    await commitFiles({ 'other.txt': 'x\n' });
    await project.write('a.txt', 'changed\n');
    const now = head();
    expect(await commit(['a.txt'], { expected_head: old })).toMatchObject(refused('head_mismatch', { expected_head: old, current_head: now }));
    project.git('add', 'a.txt');
    const index = project.git('ls-files', '--stage');
    expect(await commit(['a.txt'])).toMatchObject(refused('staged_changes_present'));
    expect([head(), project.git('ls-files', '--stage')]).toEqual([now, index]);
  });

  it('refuses folders, protected, ignored, unknown, unchanged and repeated paths, and commits nothing then', async () => {
    const before = head();
    await project.write('.gitignore', 'build/\n');
    await project.write('build/out.txt', 'x\n');
    await project.write('.env', 'SECRET=1\n');
    await project.write('a.txt', 'changed\n');
    expect(await commit(['a.txt', 'dir'])).toMatchObject(refused('invalid_path', { path: 'dir', reason_code: 'not_a_file' }));
    expect(await commit(['a.txt', '.env'])).toMatchObject(refused('policy_rejected', { path: '.env', reason_code: 'secret_path' }));
    expect(await commit(['a.txt', '.git/config'])).toMatchObject(refused('policy_rejected', { reason_code: 'bulk_path' }));
    expect(await commit(['a.txt', 'build/out.txt'])).toMatchObject(refused('policy_rejected', { reason_code: 'ignored_path' }));
    expect(await commit(['a.txt', 'nothing.txt'])).toMatchObject(refused('not_found', { path: 'nothing.txt' }));
    expect(await commit(['a.txt', 'gone.txt'])).toMatchObject(refused('nothing_to_commit', { unchanged: ['gone.txt'] }));
    expect(await commit(['a.txt', './a.txt'])).toMatchObject(refused('invalid_arguments'));
    expect(await commit(['../x'])).toMatchObject(refused('invalid_path'));
    expect(head()).toBe(before);
    expect(project.git('diff', '--cached', '--name-only')).toBe('');
  });

  it('runs no hook, filter, monitor or signature program', async () => {
    const trap = project.path('../sprung');
    const spring = `#!/bin/sh\ntouch '${trap}'\nexit 1\n`;
    for (const hook of ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'reference-transaction', 'post-index-change', 'pre-auto-gc']) {
      await writeFile(project.path(`.git/hooks/${hook}`), spring, { mode: 0o755 });
    }
    await writeFile(project.path('../spring'), spring, { mode: 0o755 });
    for (const [key, value] of [
      ['commit.gpgSign', 'true'],
      ['gpg.program', project.path('../spring')],
      ['core.fsmonitor', project.path('../spring')],
      ['filter.evil.clean', project.path('../spring')],
    ] as const) project.git('config', key, value);
    await project.write('plain.txt', 'x\n');
    expect(await commit(['plain.txt'])).toHaveProperty('commit', head());
    await project.write('.gitattributes', '*.bin filter=evil\n');
    await project.write('x.bin', 'content\n');
    expect(await commit(['x.bin'])).toMatchObject(refused('policy_rejected', { reason_code: 'repository_filter' }));
    expect(await readdir(project.base)).not.toContain('sprung');
  });

  it('says who must be named, what goes on, and who holds the lock', async () => {
    await project.write('a.txt', 'changed\n');
    project.git('config', '--unset', 'user.name');
    project.git('config', '--unset', 'user.email');
    project.git('config', 'user.useConfigOnly', 'true');
    expect(await commit(['a.txt'])).toMatchObject(refused('git_identity_missing'));
    project.git('config', 'user.name', 'Someone');
    project.git('config', 'user.email', 'someone@example.com');
    await mkdir(project.path('.git/rebase-merge'));
    expect(await commit(['a.txt'])).toMatchObject(refused('unsafe_current_state', { reason_code: 'rebase' }));
    await unlink(project.path('.git/rebase-merge')).catch(() => undefined);
    project.git('update-ref', 'refs/heads/x', 'HEAD');
    const { rmdir } = await import('node:fs/promises');
    await rmdir(project.path('.git/rebase-merge'));
    await writeFile(project.path('.git/index.lock'), '');
    expect(await commit(['a.txt'])).toMatchObject(refused('git_failed', { reason_code: 'repository_locked' }));
    await unlink(project.path('.git/index.lock'));
    await writeFile(project.path('.git/refs/heads/main.lock'), '');
    const before = head();
    expect(await commit(['a.txt'])).toMatchObject(refused('git_failed', { reason_code: 'repository_locked' }));
    await unlink(project.path('.git/refs/heads/main.lock'));
    expect([head(), project.git('diff', '--cached', '--name-only')]).toEqual([before, '']);
  });

  it('two at once on one HEAD: one commits, the other is refused', async () => {
    await project.write('a.txt', 'one\n');
    await project.write('dir/b.txt', 'two\n');
    const expected = head();
    const answers = await Promise.all([commit(['a.txt'], { expected_head: expected }), commit(['dir/b.txt'], { expected_head: expected })]);
    expect(answers.filter((answer) => 'commit' in answer)).toHaveLength(1);
    expect(answers.find((answer) => 'refused' in answer)).toMatchObject(refused('head_mismatch'));
    expect(project.git('rev-list', '--count', 'HEAD').trim()).toBe('2');
  });
});

describe('git/remove_paths', () => {
  it('gives tracked files back what the index holds, path by path', async () => {
    await project.write('a.txt', 'staged\n');
    project.git('add', 'a.txt');
    await project.write('a.txt', 'unstaged\n');
    await unlink(project.path('gone.txt'));
    await project.write('loose.txt', 'x\n');
    expect(await remove('restore_tracked', ['a.txt', 'gone.txt', 'dir/b.txt', 'loose.txt', 'dir', 'no.txt', '.env', '../x'])).toEqual({
      done: ['a.txt', 'gone.txt'],
      unchanged: ['dir/b.txt'],
      missing: ['no.txt'],
      refused: [
        { path: '.env', reason_code: 'secret_path' },
        { path: '../x', reason_code: 'invalid_path' },
        { path: 'loose.txt', reason_code: 'untracked' },
        { path: 'dir', reason_code: 'not_a_file' },
      ],
    });
    expect([await project.read('a.txt'), await project.read('gone.txt')]).toEqual(['staged\n', 'base\n']);
    expect(project.git('status', '--porcelain')).toBe('M  a.txt\n?? loose.txt\n');
  });

  it('discards untracked files only', async () => {
    await project.write('.gitignore', '*.log\n');
    await project.write('x.log', 'x\n');
    await project.write('loose.txt', 'x\n');
    await project.write('folder/loose.txt', 'x\n');
    expect(await remove('discard_untracked', ['loose.txt', 'folder', 'a.txt', 'x.log', 'no.txt'])).toEqual({
      done: ['loose.txt'],
      unchanged: [],
      missing: ['no.txt'],
      refused: [
        { path: 'folder', reason_code: 'not_a_file' },
        { path: 'a.txt', reason_code: 'tracked' },
        { path: 'x.log', reason_code: 'ignored' },
      ],
    });
  });

  it('deletes files with or without Git, never through a link, never a folder', async () => {
    await mkdir(project.path('../outside'));
    await writeFile(project.path('../outside/kept.txt'), 'x');
    await symlink('../outside', project.path('out'));
    await symlink('a.txt', project.path('link'));
    expect(await remove('delete_file', ['a.txt', 'link', 'dir', 'out/kept.txt', 'no.txt', '.git/HEAD'])).toEqual({
      done: ['a.txt', 'link'],
      unchanged: [],
      missing: ['no.txt'],
      refused: [
        { path: '.git/HEAD', reason_code: 'bulk_path' },
        { path: 'dir', reason_code: 'not_a_file' },
        { path: 'out/kept.txt', reason_code: 'not_a_file' },
      ],
    });
    expect(await readdir(project.path('../outside'))).toEqual(['kept.txt']);
  });
});
