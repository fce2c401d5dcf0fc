import { rgPath } from '@vscode/ripgrep';
import { chmod, copyFile, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FailedItem } from '../../../src/protocol/runner/files.js';
import { searchTextsMethod, type FoundItem } from '../../../src/protocol/runner/search.js';
import { createSearchServices } from '../../../src/runner/search/index.js';
import type { RunnerService } from '../../../src/runner/request.js';
import { asOtherUser } from '../as-other-user.js';
import { ask, gitIn, rootOf, temporaryProject, type TemporaryProject } from '../temporary-project.js';

let project: TemporaryProject;
const services = createSearchServices({ environment: () => process.env });

beforeEach(async () => {
  project = await temporaryProject();
});
afterEach(() => project.remove());

type Given = Record<string, unknown>;

function query(given: Given): Given {
  return {
    pattern_mode: 'regex',
    path: '',
    limit: 100,
    offset: 0,
    context_before: 0,
    context_after: 0,
    include_globs: [],
    exclude_globs: [],
    include_ignored: false,
    result_mode: 'matches',
    timeout_ms: 20_000,
    ...given,
  };
}

async function searchAll(queries: Given[], { by = services, root = project.root, bound_ms = 20_000 } = {}): Promise<(FoundItem | FailedItem)[]> {
  const answer = await ask(by, searchTextsMethod, { root, queries: queries.map(query), bound_ms, max_text_bytes: 100_000 });
  if ('refused' in answer) throw new Error(JSON.stringify(answer));
  return answer.items;
}

async function search(given: Given, options: { by?: readonly RunnerService[]; root?: TemporaryProject['root'] } = {}): Promise<FoundItem> {
  const [item] = await searchAll([given], options);
  if (item?.success !== true) throw new Error(JSON.stringify(item));
  return item;
}

async function failureOf(given: Given, options: { by?: readonly RunnerService[] } = {}): Promise<FailedItem> {
  const [item] = await searchAll([given], options);
  if (item?.success !== false) throw new Error(JSON.stringify(item));
  return item;
}

const paths = (item: FoundItem): string[] => (item.matches ?? []).map((match) => match.path);

const NOTHING_LEFT_OUT = {
  ignored: 0,
  ignored_folders: [],
  binary_files: 0,
  too_large_files: 0,
  protected: 0,
  nested_repositories: [],
};

describe('matches', () => {
  it('are sorted by path and line, with columns and context', async () => {
    await project.write('b.txt', 'one\nneedle and needle\nthree\n');
    await project.write('a/x.txt', '1\n2\n  né edle needle\n4\n5\nneedle\n');
    const item = await search({ pattern: 'needle', context_before: 1, context_after: 2 });
    expect(item).toEqual({
      index: 0,
      success: true,
      result_mode: 'matches',
      matches: [
        { path: 'a/x.txt', line: 3, column: 11, text: '  né edle needle', before: ['2'], after: ['4', '5'] },
        { path: 'a/x.txt', line: 6, column: 1, text: 'needle', before: ['5'], after: [] },
        { path: 'b.txt', line: 2, column: 1, text: 'needle and needle', before: ['one'], after: ['three'] },
      ],
      total_count: 3,
      total_is_exact: true,
      left_out: NOTHING_LEFT_OUT,
      unreadable: 0,
    });
  });

  it('page by offset and limit', async () => {
    for (const name of ['c', 'a', 'b']) await project.write(`${name}.txt`, 'needle\nneedle\n');
    const item = await search({ pattern: 'needle', offset: 1, limit: 3 });
    expect(item.matches?.map((match) => [match.path, match.line])).toEqual([
      ['a.txt', 2],
      ['b.txt', 1],
      ['b.txt', 2],
    ]);
    expect([item.total_count, item.total_is_exact]).toEqual([6, true]);
  });

  it('take a pattern as it is meant', async () => {
    await project.write('a.txt', 'a.b\naxb\nfoo(1)\nfoobar\nfoo foo\n');
    const lines = async (given: Given) => (await search(given)).matches?.map((match) => match.text);
    expect(await lines({ pattern: 'a.b' })).toEqual(['a.b', 'axb']);
    expect(await lines({ pattern: 'a.b', pattern_mode: 'literal' })).toEqual(['a.b']);
    expect(await lines({ pattern: 'foo(', pattern_mode: 'literal' })).toEqual(['foo(1)']);
    expect(await lines({ pattern: 'foo(?=bar)' })).toEqual(['foobar']);
    expect(await lines({ pattern: '(foo) \\1' })).toEqual(['foo foo']);
    expect(await lines({ pattern: '-e' })).toEqual([]);
    expect(await lines({ pattern: 'axb\nfoo', pattern_mode: 'literal' })).toEqual(['axb\nfoo(1)']);
    expect(await lines({ pattern: 'a.b\\naxb' })).toEqual(['a.b\naxb']);
  });

  it('find the end of a line before CRLF, and show no carriage return', async () => {
    await project.write('a.txt', 'needle\r\nother\r\n');
    expect((await search({ pattern: 'needle$', context_after: 1 })).matches).toEqual([
      { path: 'a.txt', line: 1, column: 1, text: 'needle', after: ['other'] },
    ]);
  });

  it('cut very long lines around the match', async () => {
    await project.write('a.min.js', `${'x'.repeat(5000)}needle${'y'.repeat(5000)}\n`);
    const [match] = (await search({ pattern: 'needle' })).matches ?? [];
    expect([match?.column, match?.is_cut, match?.text.length]).toEqual([5001, true, 500]);
    expect(match?.text).toContain('needle');
  });

  it('show bytes that are no UTF-8 as replacement characters, and read UTF-16', async () => {
    await project.write('latin.txt', Buffer.from('caf\u00e9 needle\n', 'latin1'));
    await project.write('utf16.txt', Buffer.from('\ufeffa needle\n', 'utf16le'));
    expect((await search({ pattern: 'needle' })).matches?.map((match) => match.text)).toEqual(['caf\ufffd needle', 'a needle']);
  });
});

describe('other result modes', () => {
  beforeEach(async () => {
    await project.write('a.txt', 'needle needle\nneedle\n');
    await project.write('new\nline.txt', 'needle\n');
    await project.write('z.txt', 'other\n');
  });

  it('files_with_matches', async () => {
    const item = await search({ pattern: 'needle', result_mode: 'files_with_matches' });
    expect([item.files, item.total_count, item.matches]).toEqual([['a.txt', 'new\nline.txt'], 2, undefined]);
  });

  it('count counts lines', async () => {
    const item = await search({ pattern: 'needle', result_mode: 'count' });
    expect(item.counts).toEqual([
      { path: 'a.txt', count: 2 },
      { path: 'new\nline.txt', count: 1 },
    ]);
  });

  it('page too', async () => {
    expect((await search({ pattern: 'needle', result_mode: 'count', offset: 1, limit: 1 })).counts).toEqual([
      { path: 'new\nline.txt', count: 1 },
    ]);
    expect((await search({ pattern: 'needle', result_mode: 'files_with_matches', limit: 1 })).files).toEqual(['a.txt']);
  });
});

describe('[00-D34] what is searched and what is left out', () => {
  it('searches tracked and unignored files, hidden ones too, and counts the rest', async () => {
    project.git('init', '-q');
    await project.write('.gitignore', 'build/\n*.log\n!keep.log\n');
    await project.write('src/a.ts', 'needle\n');
    await project.write('.hidden/b.ts', 'needle\n');
    await project.write('keep.log', 'needle\n');
    await project.write('x.log', 'needle\n');
    await project.write('y.log', 'needle\n');
    await project.write('build/out/c.ts', 'needle\n');
    await project.write('build/d.ts', 'needle\n');
    await project.write('bin1', Buffer.from('needle\0'));
    await project.write('bin2', Buffer.from('\0needle'));
    await project.write('late.bin', Buffer.concat([Buffer.from('needle\n'), Buffer.alloc(200_000, 'a\n'), Buffer.from([0])]));
    await project.write('big.txt', 'needle\n');
    await truncate(project.path('big.txt'), 17 * 1024 * 1024);
    await project.write('.env', 'needle\n');
    await project.write('keys/server.PEM', 'needle\n');
    await project.write('node_modules/p/index.js', 'needle\n');
    gitIn(project.folder, 'init', '-q', 'vendor/lib');
    await project.write('vendor/lib/deep/e.ts', 'needle\n');

    const item = await search({ pattern: 'needle' });
    expect(paths(item)).toEqual(['.hidden/b.ts', 'keep.log', 'src/a.ts']);
    expect(item.left_out).toEqual({
      ignored: 3,
      ignored_folders: ['build'],
      binary_files: 3,
      too_large_files: 1,
      protected: 3,
      nested_repositories: ['vendor/lib'],
    });

    const all = await search({ pattern: 'needle', include_ignored: true });
    expect(paths(all)).toEqual(['.hidden/b.ts', 'build/d.ts', 'build/out/c.ts', 'keep.log', 'src/a.ts', 'x.log', 'y.log']);
    expect(all.left_out.ignored).toBe(0);

    for (const result_mode of ['files_with_matches', 'count']) {
      const other = await search({ pattern: 'needle', result_mode });
      const found = other.files ?? other.counts?.map((count) => count.path);
      // A list of files ends with the first match, so that what makes late.bin binary is never seen.
      expect(found?.filter((path) => path !== 'late.bin')).toEqual(['.hidden/b.ts', 'keep.log', 'src/a.ts']);
      expect(other.left_out).toMatchObject({ ignored: 3, too_large_files: 1, protected: 3 });
    }
  });

  it('leaves out other work trees of the same repository', async () => {
    project.git('init', '-q');
    await project.write('a.txt', 'needle\n');
    project.git('add', '-A');
    project.git('commit', '-q', '-m', 'a');
    project.git('worktree', 'add', '-q', '.worktrees/other');
    const item = await search({ pattern: 'needle' });
    expect([paths(item), item.left_out.nested_repositories]).toEqual([['a.txt'], ['.worktrees/other']]);
    // Asked for by its path, it is what the search is about.
    expect(paths(await search({ pattern: 'needle', path: '.worktrees/other' }))).toEqual(['.worktrees/other/a.txt']);
  });

  it('obeys the ignore files of a project without Git, and none above it', async () => {
    await writeFile(join(project.base, '.gitignore'), '*\n');
    await project.write('.gitignore', 'ignored.txt\n');
    await project.write('ignored.txt', 'needle\n');
    await project.write('a.txt', 'needle\n');
    const item = await search({ pattern: 'needle' });
    expect([paths(item), item.left_out.ignored]).toEqual([['a.txt'], 1]);
  });

  it('obeys the ignore files of the repository that the project is a folder of', async () => {
    project.git('init', '-q');
    await project.write('.gitignore', 'generated.txt\n');
    await project.write('pkg/generated.txt', 'needle\n');
    await project.write('pkg/a.txt', 'needle\n');
    const item = await search({ pattern: 'needle' }, { root: await rootOf(project.path('pkg')) });
    expect([paths(item), item.left_out.ignored]).toEqual([['a.txt'], 1]);
  });

  it('does not pay for telling of thousands of ignored files: Git counts them', async () => {
    project.git('init', '-q');
    await project.write('.gitignore', '*.o\n/out/\n');
    await project.write('src/a.c', 'needle\n');
    await project.write('src/kept.o', 'needle\n');
    await project.write('out/x.c', 'needle\n');
    await project.write('node_modules/p/x.o', 'needle\n');
    project.git('add', '-f', 'src');
    gitIn(project.folder, 'init', '-q', 'lib');
    await project.write('lib/b.c', 'needle\n');
    await mkdir(project.path('objects'));
    await project.write('objects/README', 'needle\n');
    const names = Array.from({ length: 3000 }, (_, file) => project.path(`objects/${file}-${'x'.repeat(80)}.o`));
    for (let file = 0; file < names.length; file += 500) {
      await Promise.all(names.slice(file, file + 500).map((name) => writeFile(name, '')));
    }
    // The second search knows it from the beginning.
    for (const pattern of ['needle', 'needl[e]']) {
      const item = await search({ pattern });
      expect([paths(item), item.total_is_exact]).toEqual([['objects/README', 'src/a.c', 'src/kept.o'], true]);
      expect(item.left_out).toMatchObject({ ignored: 3001, ignored_folders: ['out'], at_least: true });
    }
  });

  it('searches what Git tracks although a rule ignores it, until the index has it no more', async () => {
    project.git('init', '-q');
    await project.write('.gitignore', '*.log\ndist/\n');
    await project.write('.ignore', 'hidden.txt\n');
    await project.write('a.ts', 'needle\n');
    await project.write('kept.log', 'one\nneedle\n');
    await project.write('other.log', 'needle\n');
    await project.write('dist/lib.js', 'needle\n');
    await project.write('dist/deep/bin.js', Buffer.from('needle\0'));
    await project.write('dist/made.js', 'needle\n');
    await project.write('dist/.env', 'needle\n');
    await project.write('hidden.txt', 'needle\n');
    project.git('add', '-f', 'a.ts', 'kept.log', 'dist/lib.js', 'dist/deep', 'dist/.env', 'hidden.txt');
    const item = await search({ pattern: 'needle' });
    expect((item.matches ?? []).map(({ path, line }) => `${path}:${line}`)).toEqual(['a.ts:1', 'dist/lib.js:1', 'kept.log:2']);
    // other.log, the rest of dist/, and what only a search's own rule hides
    expect(item.left_out).toMatchObject({ ignored: 3, ignored_folders: ['dist'], binary_files: 1 });
    expect((await search({ pattern: 'needle', result_mode: 'count', include_globs: ['*.js'] })).counts).toEqual([{ path: 'dist/lib.js', count: 1 }]);
    expect(paths(await search({ pattern: 'needle', include_globs: ['*.log'] }))).toEqual(['kept.log']);
    project.git('rm', '-q', '--cached', 'dist/lib.js', 'kept.log');
    expect(paths(await search({ pattern: 'needle' }))).toEqual(['a.ts']);
    project.git('add', '-f', 'other.log');
    expect(paths(await search({ pattern: 'needle' }))).toEqual(['a.ts', 'other.log']);
  });

  it('follows no link', async () => {
    await project.write('a.txt', 'needle\n');
    await symlink('/etc', project.path('etc'));
    await symlink('a.txt', project.path('b.txt'));
    expect(paths(await search({ pattern: 'needle' }))).toEqual(['a.txt']);
  });
});

describe('globs and paths', () => {
  beforeEach(async () => {
    project.git('init', '-q');
    await project.write('.gitignore', '*.gen.ts\n');
    for (const path of ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/d.js', 'test/e.ts', 'src/x.gen.ts']) {
      await project.write(path, 'needle\n');
    }
  });

  it.each([
    [['*.ts'], [], ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'test/e.ts']],
    [['src/*.ts'], [], ['src/b.ts']],
    [['src/**/*.{ts,js}'], [], ['src/b.ts', 'src/d.js', 'src/deep/c.ts']],
    [['src'], [], ['src/b.ts', 'src/d.js', 'src/deep/c.ts']],
    [['/a.ts', 'test/'], [], ['a.ts', 'test/e.ts']],
    [[], ['src/**'], ['a.ts', 'test/e.ts']],
    [[], ['deep/', '*.js'], ['a.ts', 'src/b.ts', 'test/e.ts']],
    [['*.ts'], ['src/deep', 'test/**'], ['a.ts', 'src/b.ts']],
  ])('include %j, exclude %j', async (include_globs, exclude_globs, expected) => {
    const item = await search({ pattern: 'needle', include_globs, exclude_globs });
    expect(paths(item)).toEqual(expected);
  });

  it('count an ignored file only when the query is about it', async () => {
    expect((await search({ pattern: 'needle', include_globs: ['*.js'] })).left_out.ignored).toBe(0);
    expect((await search({ pattern: 'needle', include_globs: ['*.ts'] })).left_out.ignored).toBe(1);
  });

  it.each([
    ['!src/**', 'negated_glob'],
    ['src/[a', 'malformed_glob'],
    ['{a,b', 'malformed_glob'],
    ['a}', 'malformed_glob'],
    ['a\\', 'malformed_glob'],
    ['**/*.pem', 'protected_glob'],
    ['.ENV*', 'protected_glob'],
    ['{a,secrets}/**', 'protected_glob'],
    ['node_modules/**', 'protected_glob'],
  ])('refuse to include %j: %s', async (glob, reason) => {
    expect(await failureOf({ pattern: 'x', include_globs: [glob] })).toMatchObject({ error_kind: 'invalid_glob', reason_code: reason });
  });

  it('take a path of a folder or a file', async () => {
    expect(paths(await search({ pattern: 'needle', path: 'src/deep' }))).toEqual(['src/deep/c.ts']);
    expect(paths(await search({ pattern: 'needle', path: './src/b.ts' }))).toEqual(['src/b.ts']);
    await project.write('src/-x', 'needle\n');
    expect(paths(await search({ pattern: 'needle', path: 'src/-x' }))).toEqual(['src/-x']);
    await project.write('bin', Buffer.from('needle\n\0'));
    const binary = await search({ pattern: 'needle', path: 'bin' });
    expect([binary.total_count, binary.left_out.binary_files]).toEqual([0, 1]);
  });

  it.each([
    ['nope', 'not_found'],
    ['/etc', 'path_absolute'],
    ['..', 'path_has_parent'],
    ['.git', 'protected_path'],
    ['escape', 'symlink_escape'],
  ])('refuse the path %j', async (path, reason) => {
    await symlink('/', project.path('escape'));
    const failed = await failureOf({ pattern: 'x', path });
    expect(failed.error_kind).toBe('invalid_path');
    expect([failed.reason_code, reason]).toContain(reason);
  });
});

describe('failures', () => {
  it('[04-A30] a bad pattern fails its item and no other', async () => {
    await project.write('a.txt', 'needle\n');
    const [bad, good] = await searchAll([{ pattern: '(' }, { pattern: 'needle' }]);
    expect(bad).toMatchObject({ index: 0, success: false, error_kind: 'invalid_pattern' });
    expect(good).toMatchObject({ index: 1, success: true, total_count: 1 });
  });

  it('nothing found is said only after a proven clean search', async () => {
    await project.write('a.txt', 'text\n');
    expect(await search({ pattern: 'nothing' })).toMatchObject({ matches: [], total_count: 0, total_is_exact: true });
    const stub = join(project.base, 'rg');
    for (const script of ['exit 2', 'kill -9 $$', 'exit 127']) {
      await writeFile(stub, `#!/bin/sh\n${script}\n`);
      await chmod(stub, 0o755);
      const by = createSearchServices({ environment: () => process.env, ripgrep: stub });
      expect(await failureOf({ pattern: 'nothing' }, { by }), script).toMatchObject({ error_kind: 'search_execution_failed' });
    }
    const by = createSearchServices({ environment: () => process.env, ripgrep: join(project.base, 'missing') });
    expect((await failureOf({ pattern: 'nothing' }, { by })).error_kind).toBe('search_execution_failed');
  });

  it('what could not be read makes nothing found a failure, and is counted beside what was found', async () => {
    await project.write('a.txt', 'needle\n');
    await project.write('closed.txt', 'other\n');
    await chmod(project.base, 0o755);
    await chmod(project.path('closed.txt'), 0o000);
    // The other user must be able to run it.
    await copyFile(rgPath, join(project.base, 'rg'));
    await chmod(join(project.base, 'rg'), 0o755);
    const by = createSearchServices({ environment: () => process.env, ripgrep: join(project.base, 'rg') });
    await asOtherUser(async () => {
      expect(await search({ pattern: 'needle' }, { by })).toMatchObject({ total_count: 1, unreadable: 1 });
      expect((await failureOf({ pattern: 'nothing' }, { by })).error_kind).toBe('search_execution_failed');
    });
  });

  it('a query that takes too long fails by itself', async () => {
    const stub = join(project.base, 'rg');
    await writeFile(stub, '#!/bin/sh\nexec sleep 60\n');
    await chmod(stub, 0o755);
    const by = createSearchServices({ environment: () => process.env, ripgrep: stub });
    const items = await searchAll([{ pattern: 'a', timeout_ms: 200 }, { pattern: 'b' }, { pattern: 'c' }], { by, bound_ms: 400 });
    expect(items.map((item) => (item.success ? 'found' : item.error_kind))).toEqual(['search_timeout', 'search_timeout', 'search_timeout']);
  });

  it('is cancelled as a whole', async () => {
    const params = { root: project.root, queries: [query({ pattern: 'a' })], bound_ms: 1000, max_text_bytes: 10 };
    expect(await ask(services, searchTextsMethod, params, AbortSignal.abort())).toMatchObject({ refused: { error_kind: 'cancelled' } });
  });

  it('stops at a flood, and says that there is more', async () => {
    await mkdir(project.path('many'));
    for (let file = 0; file < 30; file += 1) await project.write(`many/${file}.txt`, 'needle\n'.repeat(1000));
    const item = await search({ pattern: 'needle', limit: 5 });
    expect([item.matches?.length, item.total_is_exact]).toEqual([5, false]);
    expect(item.total_count).toBeGreaterThanOrEqual(20_000);
  });
});
