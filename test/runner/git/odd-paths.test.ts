import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commitPathsMethod, removePathsMethod } from '../../../src/protocol/runner/git-writes.js';
import { reviewSummaryMethod } from '../../../src/protocol/runner/git-history.js';
import { observeGitMethod } from '../../../src/protocol/runner/git.js';
import { createGitServices } from '../../../src/runner/git/index.js';
import { isRefusal } from '../../../src/runner/request.js';
import { openWorkTree } from '../../../src/runner/git/work-tree.js';
import { Turns } from '../../../src/runner/turns.js';
import { ask, gitIn, rootOf, temporaryProject, type TemporaryProject } from '../temporary-project.js';

let project: TemporaryProject;
const environment = (): Record<string, string | undefined> => ({ PATH: process.env['PATH'], HOME: project.base });
const services = createGitServices({ environment, turns: new Turns() });

beforeEach(async () => {
  project = await temporaryProject();
});
afterEach(() => project.remove());

/** A repository with four files and a commit. */
async function repository(...options: string[]): Promise<void> {
  project.git('init', '-q', ...options);
  project.git('config', 'user.name', 'Someone');
  project.git('config', 'user.email', 'someone@example.com');
  for (const path of ['a.txt', 'gone.txt', 'dir/b.txt', 'far/c.txt']) await project.write(path, 'base\n');
  project.git('add', '-A');
  project.git('commit', '-q', '-m', 'base');
}

const head = (): string => project.git('rev-parse', 'HEAD').trim();
const committed = (): string => project.git('show', '--format=', '--name-status', '--no-renames', 'HEAD');
const sharedIndexes = async (): Promise<string[]> => (await readdir(project.path('.git'))).filter((name) => name.startsWith('sharedindex.'));
const commit = (...paths: string[]): Promise<unknown> =>
  ask(services, commitPathsMethod, { root: project.root, expected_head: head(), paths, message: 'Ein Ärgernis' });
const remove = (action: string, paths: string[]): Promise<unknown> =>
  ask(services, removePathsMethod, { root: project.root, action, paths });
const refused = (kind: string, detail: Record<string, unknown> = {}): object => ({ refused: { error_kind: kind, detail } });

describe('git/commit_paths', () => {
  it('commits nothing but a deletion where object names have 64 digits', async () => {
    await repository('--object-format=sha256');
    await unlink(project.path('gone.txt'));
    expect(await commit('gone.txt')).toMatchObject({ files: [{ path: 'gone.txt', change: 'deleted' }] });
    expect([committed(), project.git('status', '--porcelain')]).toEqual(['D\tgone.txt\n', '']);
  });

  it('does not take a file that a sparse checkout left out for a deleted one', async () => {
    await repository();
    project.git('sparse-checkout', 'set', 'dir');
    const before = head();
    expect(await commit('far/c.txt')).toMatchObject(refused('policy_rejected', { path: 'far/c.txt', reason_code: 'not_checked_out' }));
    expect([head(), project.git('status', '--porcelain')]).toEqual([before, '']);
    await project.write('dir/b.txt', 'changed\n');
    await commit('dir/b.txt');
    expect([committed(), project.git('ls-tree', '--name-only', '-r', 'HEAD')]).toEqual(['M\tdir/b.txt\n', 'a.txt\ndir/b.txt\nfar/c.txt\ngone.txt\n']);
  });

  it('commits a file that became a folder, a folder that became a file or a link, once all of it is named', async () => {
    await repository();
    await unlink(project.path('a.txt'));
    await project.write('a.txt/inner', 'new\n');
    expect(await commit('a.txt/inner')).toMatchObject(refused('invalid_path', { path: 'a.txt/inner', reason_code: 'replaced_path_not_named' }));
    await commit('a.txt/inner', 'a.txt');
    expect(committed()).toBe('D\ta.txt\nA\ta.txt/inner\n');

    await rm(project.path('dir'), { recursive: true });
    await project.write('dir', 'file\n');
    expect(await commit('dir')).toMatchObject(refused('invalid_path', { path: 'dir', reason_code: 'replaced_path_not_named' }));
    await commit('dir', 'dir/b.txt');
    expect(committed()).toBe('A\tdir\nD\tdir/b.txt\n');

    await rm(project.path('far'), { recursive: true });
    await symlink('nowhere', project.path('far'));
    await commit('far', 'far/c.txt');
    expect([committed(), project.git('status', '--porcelain')]).toEqual(['A\tfar\nD\tfar/c.txt\n', '']);
  });

  it('takes names for names, whatever they would mean to git', async () => {
    await repository();
    const names = [':!x', ':^x', ':/x', ':(exclude)x', '-f', 'two\nlines', '*', '[a]', '"q"', ' blank '];
    for (const name of names) await project.write(name, 'x\n');
    await commit(...names);
    expect(project.git('ls-tree', '-r', '-z', '--name-only', 'HEAD').split('\0')).toEqual(expect.arrayContaining(names));
    expect(project.git('status', '--porcelain')).toBe('');
    await writeFile(project.path('.gitignore'), '\\:!y\n');
    await project.write(':!y', 'x\n');
    expect(await commit(':!y')).toMatchObject(refused('policy_rejected', { path: ':!y', reason_code: 'ignored_path' }));
  });

  it('refuses paths that cannot be, those of a repository inside this one, and submodules', async () => {
    await repository();
    const long = 'a'.repeat(300);
    expect(await commit(long)).toMatchObject(refused('not_found', { path: long }));
    await symlink('loop', project.path('loop'));
    expect(await commit('loop/x')).toMatchObject(refused('invalid_path', { path: 'loop/x', reason_code: 'not_a_file' }));
    await mkdir(project.path('inner'));
    gitIn(project.path('inner'), 'init', '-q');
    await project.write('inner/deep/file', 'x\n');
    expect(await commit('inner/deep/file')).toMatchObject(refused('policy_rejected', { path: 'inner/deep/file', reason_code: 'nested_repository' }));
    gitIn(project.path('inner'), 'commit', '-q', '--allow-empty', '-m', 'inner');
    project.git('add', 'inner');
    project.git('commit', '-q', '-m', 'submodule');
    expect(await commit('inner/deep/file')).toMatchObject(refused('policy_rejected', { reason_code: 'nested_repository' }));
    expect(await commit('inner')).toMatchObject(refused('invalid_path', { path: 'inner', reason_code: 'not_a_file' }));
  });

  it('says UTF-8 in UTF-8, leaves no half of an index behind, and a deletion needs no filter', async () => {
    await repository();
    project.git('config', 'i18n.commitEncoding', 'ISO-8859-1');
    project.git('config', 'core.splitIndex', 'true');
    project.git('config', 'splitIndex.maxPercentChange', '100');
    project.git('update-index', '--split-index');
    const shared = await sharedIndexes();
    project.git('config', 'filter.evil.clean', 'false');
    await project.write('.gitattributes', '*.txt filter=evil\n');
    await unlink(project.path('gone.txt'));
    await commit('gone.txt');
    expect(project.git('cat-file', 'commit', 'HEAD')).not.toContain('\nencoding ');
    expect(project.git('log', '-1', '--encoding=UTF-8', '--format=%s')).toBe('Ein Ärgernis\n');
    expect([shared.length, await sharedIndexes()]).toEqual([1, shared]);
    expect(await commit('a.txt')).toMatchObject(refused('policy_rejected', { reason_code: 'repository_filter' }));
  });
});

it('a commit of the same file in between is neither overwritten nor staged away', async () => {
  await repository();
  const expected = head();
  await project.write('a.txt', 'ours\n');
  await mkdir(`${project.base}/bin`);
  const [git = ''] = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).split('\n');
  const theirs = `cd ${project.folder} && echo theirs > a.txt && env -i PATH="$PATH" HOME=${project.base} ${git} commit -q -a -m theirs`;
  const script = `#!/bin/sh\nif [ "$1" = commit-tree ]; then (${theirs}) >/dev/null </dev/null; fi\nexec ${git} "$@"\n`;
  await writeFile(`${project.base}/bin/git`, script, { mode: 0o755 });
  const racing = createGitServices({ environment: () => ({ ...environment(), PATH: `${project.base}/bin:${process.env['PATH'] ?? ''}` }), turns: new Turns() });
  const params = { root: project.root, expected_head: expected, paths: ['a.txt'], message: 'ours' };
  expect(await ask(racing, commitPathsMethod, params)).toMatchObject(refused('head_mismatch', { expected_head: expected, current_head: head() }));
  project.git('rm', '-q', '--cached', 'gone.txt');
  project.git('commit', '-q', '-m', 'forget');
  project.git('add', '-N', 'gone.txt');
  await ask(services, commitPathsMethod, { ...params, expected_head: head(), paths: ['gone.txt'] });
  expect(committed()).toBe('A\tgone.txt\n');
  project.git('reset', '-q', '--hard', 'HEAD~2');
  expect([project.git('log', '-1', '--format=%s'), project.git('show', ':a.txt'), project.git('status', '--porcelain')]).toEqual(['theirs\n', 'theirs\n', '']);
});

describe('git/remove_paths', () => {
  it('a restore does not delete an untracked file that lies where a folder was', async () => {
    await repository();
    await rm(project.path('dir'), { recursive: true });
    await project.write('dir', 'precious\n');
    expect(await remove('restore_tracked', ['dir/b.txt', 'a.txt'])).toEqual({
      done: [], unchanged: ['a.txt'], missing: [], refused: [{ path: 'dir/b.txt', reason_code: 'file_in_the_way' }],
    });
    expect(await project.read('dir')).toBe('precious\n');
  });

  it('a restore that meets a lock has changed nothing and says so', async () => {
    await repository();
    await project.write('a.txt', 'changed\n');
    await writeFile(project.path('.git/index.lock'), '');
    expect(await remove('restore_tracked', ['a.txt'])).toMatchObject(
      refused('git_failed', { reason_code: 'repository_locked', state_changed: false }),
    );
    expect(await project.read('a.txt')).toBe('changed\n');
  });

  it('refuses path by path what cannot be looked at or belongs to another repository', async () => {
    await repository();
    const long = 'a'.repeat(300);
    await symlink('loop', project.path('loop'));
    await mkdir(project.path('inner'));
    gitIn(project.path('inner'), 'init', '-q');
    await project.write('inner/file', 'x\n');
    execFileSync('mkfifo', [project.path('fifo')]);
    await project.write('loose', 'x\n');
    const answer = {
      missing: [long],
      refused: [
        { path: 'loop/x', reason_code: 'not_a_file' },
        { path: 'fifo', reason_code: 'not_a_file' },
        { path: 'inner/file', reason_code: 'nested_repository' },
      ],
    };
    expect(await remove('discard_untracked', [long, 'loop/x', 'inner/file', 'fifo', 'loose'])).toEqual({ done: ['loose'], unchanged: [], ...answer });
    expect(await remove('restore_tracked', [long, 'loop/x'])).toMatchObject({ missing: [long], refused: [{ path: 'loop/x' }] });
    expect(await remove('delete_file', [long, 'loop/x', 'loop'])).toMatchObject({ done: ['loop'], missing: [long], refused: [{ path: 'loop/x' }] });
    expect(await project.read('inner/file')).toBe('x\n');
  });

  it('judges every path before the first file goes, so that a refusal means that nothing was deleted', async () => {
    await repository();
    await project.write('one', 'x\n');
    await project.write('two', 'x\n');
    await mkdir(`${project.base}/bin`);
    const [git = ''] = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).split('\n');
    await writeFile(`${project.base}/bin/git`, `#!/bin/sh\n[ -e ${project.folder}/one ] || exit 3\nexec ${git} "$@"\n`, { mode: 0o755 });
    const failing = createGitServices({ environment: () => ({ ...environment(), PATH: `${project.base}/bin:${process.env['PATH'] ?? ''}` }), turns: new Turns() });
    const params = { root: project.root, action: 'discard_untracked', paths: ['one', 'two'] };
    expect(await ask(failing, removePathsMethod, params)).toMatchObject({ done: ['one', 'two'], refused: [] });
  });
});

it('reads a project whose folder has a line break in its name', async () => {
  const folder = `${project.base}/two\n/lines`;
  await mkdir(folder, { recursive: true });
  gitIn(folder, 'init', '-q');
  gitIn(folder, 'commit', '-q', '--allow-empty', '-m', 'base');
  const root = await rootOf(folder);
  const commit = gitIn(folder, 'rev-parse', 'HEAD').trim();
  expect(await ask(services, observeGitMethod, { root })).toMatchObject({ is_repository: true, head: commit, operation: null });
  expect(await ask(services, reviewSummaryMethod, { root, base: commit, head: commit })).toMatchObject({ merge_base: commit, total_files: 0 });
});

it('[00-D33] hooks that stand in a configuration are switched off, included files too', async () => {
  await repository();
  await writeFile(`${project.base}/more`, '[hook "in cluded"]\n\tevent = reference-transaction\n\tcommand = false\n');
  project.git('config', 'include.path', `${project.base}/more`);
  await writeFile(`${project.base}/.gitconfig`, '[hook "mine"]\n\tevent = post-index-change\n\tcommand = false\n');
  const tree = await openWorkTree(project.root, environment(), new AbortController().signal);
  if (tree === null || isRefusal(tree)) throw new Error('no work tree');
  const read = (key: string): string =>
    execFileSync('git', ['config', '--get', key], { cwd: project.folder, env: tree.call.environment, encoding: 'utf8' });
  expect([read('hook.in cluded.enabled'), read('hook.mine.enabled'), tree.blankedFilters]).toEqual(['false\n', 'false\n', []]);
});
