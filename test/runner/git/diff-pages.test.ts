import { readdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diffPageMethod, type DiffPage } from '../../../src/protocol/runner/git-diff.js';
import { gitLogMethod, gitStatusMethod, reviewSummaryMethod } from '../../../src/protocol/runner/git-history.js';
import { hygieneMethod } from '../../../src/protocol/runner/hygiene.js';
import { createGitServices } from '../../../src/runner/git/index.js';
import { Turns } from '../../../src/runner/turns.js';
import { ask, gitIn, rootOf, temporaryProject, type TemporaryProject } from '../temporary-project.js';

let project: TemporaryProject;
const services = createGitServices({ environment: () => ({ PATH: process.env['PATH'], HOME: project.base }), turns: new Turns() });

beforeEach(async () => {
  project = await temporaryProject();
  project.git('init', '-q');
});
afterEach(() => project.remove());

const head = (): string => project.git('rev-parse', 'HEAD').trim();

async function commitFiles(files: Record<string, string | Uint8Array>, message = 'state'): Promise<string> {
  for (const [path, content] of Object.entries(files)) await project.write(path, content);
  project.git('add', '-A');
  project.git('commit', '-q', '-m', message);
  return head();
}

async function tryPage(overrides: Record<string, unknown> = {}): Promise<unknown> {
  return ask(services, diffPageMethod, {
    root: project.root,
    scope: { kind: 'workspace' },
    paths: [],
    expected_snapshot: null,
    skip_hunks: 0,
    max_hunks: 100,
    max_hunk_lines: 100,
    max_bytes: 100_000,
    include_files: true,
    ...overrides,
  });
}

async function page(overrides: Record<string, unknown> = {}): Promise<DiffPage> {
  const answer = await tryPage(overrides);
  if (typeof answer === 'object' && answer !== null && 'refused' in answer) throw new Error(JSON.stringify(answer));
  return answer as DiffPage;
}

const texts = ({ hunks }: DiffPage): string[] => hunks.map(({ path, text }) => `${path}: ${text}`);
const refused = (kind: string, detail: Record<string, unknown> = {}) => ({ refused: { error_kind: kind, detail } });

describe('git/diff_page', () => {
  it('compares each pair of sides', async () => {
    const base = await commitFiles({ 'a.txt': 'one\n' });
    await project.write('a.txt', 'two\n');
    project.git('add', '-A');
    await project.write('a.txt', 'three\n');
    await project.write('loose.txt', 'x\ny');
    expect(texts(await page())).toEqual(['a.txt: -one\n+three', 'loose.txt: +x\n+y\n\\ No newline at end of file']);
    expect(texts(await page({ scope: { kind: 'staged' } }))).toEqual(['a.txt: -one\n+two']);
    expect(texts(await page({ scope: { kind: 'unstaged' } }))).toEqual(['a.txt: -two\n+three']);
    const tip = await commitFiles({ 'b.txt': 'b\n' });
    expect(texts(await page({ scope: { kind: 'commits', base, head: tip }, paths: ['b.txt'] }))).toEqual(['b.txt: +b']);
    expect((await page({ scope: { kind: 'commits', base, head: tip } })).files).toMatchObject({ total: 3, insertions: 4, deletions: 1 });
  });

  it('pages over tracked and untracked hunks give each once, in order', async () => {
    const files = Object.fromEntries(Array.from({ length: 7 }, (_, file) => [`${file}.txt`, 'base\n']));
    await commitFiles(files);
    for (const path of Object.keys(files)) await project.write(path, `changed ${path}\n`);
    for (const path of ['u1.txt', 'u2.txt', 'u3.txt']) await project.write(path, 'new\n');
    const whole = texts(await page());
    expect(whole).toHaveLength(10);
    const paged: string[] = [];
    let snapshot: string | null = null;
    for (let more = true; more; ) {
      const next: DiffPage = await page({ max_hunks: 3, skip_hunks: paged.length, expected_snapshot: snapshot, include_files: false });
      snapshot = next.snapshot;
      paged.push(...texts(next));
      more = next.more_hunks;
    }
    expect(paged).toEqual(whole);
  });

  it('a page of another snapshot is refused, whatever changed', async () => {
    await commitFiles({ 'a.txt': 'one\n' });
    await project.write('a.txt', 'two\n');
    const { snapshot } = await page();
    expect((await page({ expected_snapshot: snapshot })).snapshot).toBe(snapshot);
    await project.write('a.txt', 'six\n');
    expect(await tryPage({ expected_snapshot: snapshot })).toMatchObject(refused('stale_continuation'));
    const second = (await page()).snapshot;
    await project.write('loose.txt', 'x\n');
    expect(await tryPage({ expected_snapshot: second })).toMatchObject(refused('stale_continuation'));
    const third = (await page()).snapshot;
    project.git('commit', '-q', '-a', '-m', 'next');
    expect(await tryPage({ expected_snapshot: third })).toMatchObject(refused('stale_continuation'));
  });

  it('names renames, modes, links, binary and protected files, and shows no protected text', async () => {
    await commitFiles({ 'old.txt': 'same\nlines\nhere\n', 'run.sh': '#!/bin/sh\n', 'pic.bin': Buffer.from([0, 1]), '.env': 'SECRET=1\n' });
    project.git('mv', 'old.txt', 'new.txt');
    project.git('update-index', '--chmod=+x', 'run.sh');
    await project.write('pic.bin', Buffer.from([0, 2]));
    await project.write('.env', 'SECRET=2\n');
    await symlink('new.txt', project.path('link'));
    project.git('add', '-A', 'link', 'pic.bin');
    project.git('config', 'core.fileMode', 'false');
    const whole = await page();
    expect(whole.files?.files).toEqual([
      { path: '.env', change: 'modified', old_mode: '100644', new_mode: '100644', insertions: null, deletions: null, binary: false, protected: true },
      { path: 'link', change: 'added', old_mode: '000000', new_mode: '120000', insertions: 1, deletions: 0, binary: false },
      { path: 'new.txt', from_path: 'old.txt', change: 'renamed', old_mode: '100644', new_mode: '100644', insertions: 0, deletions: 0, binary: false },
      { path: 'pic.bin', change: 'modified', old_mode: '100644', new_mode: '100644', insertions: null, deletions: null, binary: true },
      { path: 'run.sh', change: 'modified', old_mode: '100644', new_mode: '100755', insertions: 0, deletions: 0, binary: false },
    ]);
    expect(JSON.stringify(whole.hunks)).not.toContain('SECRET');
    expect(await tryPage({ paths: ['.env'] })).toMatchObject(refused('sensitive_path'));
  });

  it('takes paths literally, and survives names with newlines, quotes and bytes that are no UTF-8', async () => {
    await commitFiles({ 'a.txt': '1\n', '*.txt': '1\n', 'line\nbreak "q"': '1\n' });
    await writeFile(Buffer.concat([Buffer.from(`${project.folder}/raw-`), Buffer.from([0xfe])]), 'x\n');
    for (const path of ['a.txt', '*.txt', 'line\nbreak "q"']) await project.write(path, '2\n');
    expect(texts(await page({ paths: ['*.txt'] }))).toEqual(['*.txt: -1\n+2']);
    const whole = await page();
    expect(whole.hunks.map(({ path }) => path)).toEqual(['*.txt', 'a.txt', 'line\nbreak "q"']);
    expect(whole.files?.files.find(({ path_is_lossy }) => path_is_lossy)).toMatchObject({ change: 'untracked' });
    expect(await tryPage({ paths: ['../x'] })).toMatchObject(refused('invalid_path'));
  });

  it('a hunk that no page holds is named; less of it fits', async () => {
    await commitFiles({ 'a.txt': '' });
    await project.write('a.txt', `${'x'.repeat(100)}\n`.repeat(50));
    expect(await tryPage({ max_bytes: 1_000 })).toMatchObject(refused('page_record_too_large', { path: 'a.txt', fitting_lines: 9 }));
    expect((await page({ max_bytes: 1_000, max_hunk_lines: 9 })).hunks[0]).toMatchObject({ omitted_lines: 41 });
  });

  it('two commits are compared by their objects alone', async () => {
    const base = await commitFiles({ 'a.txt': 'one\n' });
    const tip = await commitFiles({ 'a.txt': 'two\n' });
    const plain = await page({ scope: { kind: 'commits', base, head: tip } });
    await project.write('.gitattributes', '*.txt -diff filter=evil diff=evil\n');
    await writeFile(project.path('.git/info/attributes'), '*.txt binary\n');
    project.git('config', 'diff.evil.textconv', `touch ${project.base}/sprung; cat`);
    project.git('config', 'diff.external', `touch ${project.base}/sprung`);
    project.git('replace', tip, base);
    expect(await page({ scope: { kind: 'commits', base, head: tip } })).toEqual(plain);
    expect(await readdir(project.base)).not.toContain('sprung');
    expect(await tryPage({ scope: { kind: 'commits', base, head: '0'.repeat(40) } })).toMatchObject(refused('unknown_commit'));
  });

  it('confines itself to the project, in a linked work tree and a sparse one too', async () => {
    const base = await commitFiles({ 'in/a.txt': '1\n', 'out/b.txt': '1\n' });
    const tip = await commitFiles({ 'in/a.txt': '2\n', 'out/b.txt': '2\n' });
    const root = await rootOf(project.path('in'));
    expect(texts(await page({ root, scope: { kind: 'commits', base, head: tip } }))).toEqual(['a.txt: -1\n+2']);
    project.git('worktree', 'add', '-q', '../linked');
    await writeFile(`${project.base}/linked/in/a.txt`, '3\n');
    gitIn(`${project.base}/linked`, 'sparse-checkout', 'set', 'in');
    expect(texts(await page({ root: await rootOf(`${project.base}/linked`) }))).toEqual(['in/a.txt: -2\n+3']);
  });
});

describe('git/log and git/status', () => {
  it('pages stay on their head', async () => {
    expect(await ask(services, gitLogMethod, { root: project.root, head: null, limit: 2, skip: 0 })).toEqual({ head: null, commits: [], has_more: false, is_shallow: false });
    for (const name of ['one', 'two', 'three']) await commitFiles({ 'a.txt': `${name}\n` }, `${name}\n\nbody of ${name}`);
    const pinned = head();
    const first = await ask(services, gitLogMethod, { root: project.root, head: null, limit: 2, skip: 0 });
    expect(first).toMatchObject({
      head: pinned,
      has_more: true,
      commits: [{ subject: 'three', body: 'body of three', author: 'Test' }, { subject: 'two' }],
    });
    await commitFiles({ 'a.txt': 'four\n' }, 'four');
    expect(await ask(services, gitLogMethod, { root: project.root, head: pinned, limit: 2, skip: 2 })).toMatchObject({
      commits: [{ subject: 'one', parents: [] }],
      has_more: false,
    });
    expect(await ask(services, gitLogMethod, { root: project.root, head: 'f'.repeat(40), limit: 2, skip: 0 })).toMatchObject(refused('unknown_commit'));
  });

  it('a shallow clone says so, and a status is in git’s own words', async () => {
    await commitFiles({ 'a.txt': '1\n' }, 'one');
    await commitFiles({ 'a.txt': '2\n' }, 'two');
    gitIn(project.base, 'clone', '-q', '--depth=1', `file://${project.folder}`, 'shallow');
    const root = await rootOf(`${project.base}/shallow`);
    expect(await ask(services, gitLogMethod, { root, head: null, limit: 5, skip: 0 })).toMatchObject({ commits: [{ subject: 'two' }], is_shallow: true });
    await project.write('b.txt', 'x');
    expect(await ask(services, gitStatusMethod, { root: project.root, max_bytes: 1_000 })).toEqual({
      exit_code: 0,
      stdout: '## main\n?? b.txt\n',
      stdout_truncated: false,
      stderr: '',
    });
    expect(await ask(services, gitStatusMethod, { root: project.root, max_bytes: 10 })).toMatchObject({ stdout: '## main\n', stdout_truncated: true });
  });
});

describe('git/review_summary', () => {
  it('compares with where the two parted', async () => {
    const base = await commitFiles({ 'a.txt': '1\n' });
    project.git('checkout', '-q', '-b', 'topic');
    const tip = await commitFiles({ 'a.txt': '2\n', 'package.json': '{}\n', 'run.key': 'x\n' });
    project.git('checkout', '-q', 'main');
    const main = await commitFiles({ 'other.txt': 'x\n' });
    expect(await ask(services, reviewSummaryMethod, { root: project.root, base: main, head: tip })).toMatchObject({
      merge_base: base,
      commits: 1,
      total_files: 3,
      insertions: 2,
      deletions: 1,
      paths: [{ path: 'a.txt' }, { path: 'package.json' }, { path: 'run.key', protected: true }],
    });
  });

  it('several best ancestors, and none, are no guess', async () => {
    await commitFiles({ 'a.txt': '1\n' });
    project.git('checkout', '-q', '-b', 'x');
    const x1 = await commitFiles({ 'x.txt': '1\n' });
    project.git('checkout', '-q', 'main');
    const m1 = await commitFiles({ 'm.txt': '1\n' });
    project.git('merge', '-q', '--no-edit', x1);
    const m2 = head();
    project.git('checkout', '-q', 'x');
    project.git('merge', '-q', '--no-edit', m1);
    const answer = await ask(services, reviewSummaryMethod, { root: project.root, base: m2, head: head() });
    expect(answer).toMatchObject(refused('ambiguous_merge_base', { reason_code: 'several_merge_bases' }));
    project.git('checkout', '-q', '--orphan', 'alone');
    const alone = await commitFiles({ 'alone.txt': '1\n' });
    expect(await ask(services, reviewSummaryMethod, { root: project.root, base: m2, head: alone })).toMatchObject(
      refused('ambiguous_merge_base', { reason_code: 'no_common_ancestor' }),
    );
  });

  it('takes a repository of SHA-256 objects', async () => {
    const folder = `${project.base}/sha256`;
    gitIn(project.base, 'init', '-q', '--object-format=sha256', 'sha256');
    const commit = async (text: string): Promise<string> => {
      await writeFile(`${folder}/a.txt`, text);
      gitIn(folder, 'add', '-A');
      gitIn(folder, 'commit', '-q', '-m', 'x');
      return gitIn(folder, 'rev-parse', 'HEAD').trim();
    };
    const [base, tip] = [await commit('1\n'), await commit('2\n')];
    expect(await ask(services, reviewSummaryMethod, { root: await rootOf(folder), base, head: tip })).toMatchObject({ total_files: 1, insertions: 1 });
  });
});

describe('git/hygiene', () => {
  it('names what lies around, the gravest first, and leaves ignored files alone', async () => {
    await commitFiles({ '.gitignore': 'node_modules/\n', 'kept.bak': 'x', 'a.txt': '1\n' });
    await project.write('node_modules/x/index.js', '');
    await project.write('notes.tmp', '');
    await project.write('pkg/__pycache__/a.pyc', '');
    await project.write('pkg/__pycache__/deep/b.pyc', '');
    await project.write('cut/.wc-restore-0123', '');
    await project.write('id_rsa', '');
    await project.write('dump.bin', Buffer.alloc(5 * 1024 * 1024 + 1));
    const check = async (overrides = {}) => ask(services, hygieneMethod, { root: project.root, include_tracked: false, max_findings: 50, ...overrides });
    expect(await check()).toMatchObject({
      findings: [
        { kind: 'dirty_worktree', path: null },
        { kind: 'secret_like_path', path: 'id_rsa', tracked: false },
        { kind: 'large_untracked_file', path: 'dump.bin', bytes: 5 * 1024 * 1024 + 1 },
        { kind: 'temporary_file', path: 'cut/.wc-restore-0123' },
        { kind: 'temporary_file', path: 'notes.tmp' },
        // A folder of what can be made anew is one finding, and each secret in it another.
        { kind: 'cache_path', path: 'pkg/__pycache__/', tracked: false },
      ],
      total: 6,
      counts: { cache_path: 1 },
    });
    expect(await check({ include_tracked: true, max_findings: 2 })).toMatchObject({ total: 7, findings: [{}, {}], counts: { temporary_file: 3 } });
    for (const path of ['notes.tmp', 'pkg/__pycache__/a.pyc', 'pkg/__pycache__/deep/b.pyc', 'cut/.wc-restore-0123', 'id_rsa', 'dump.bin']) await unlink(project.path(path));
    expect(await check()).toMatchObject({ is_repository: true, findings: [], total: 0 });
  });
});
