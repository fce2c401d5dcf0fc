import { mkdir, symlink } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rollUp } from '../../../src/runner/search/roll-up.js';
import { temporaryProject, type TemporaryProject } from '../../runner/temporary-project.js';
import { filesHouse, type FilesHouse, type Output } from './files-house.js';

let project: TemporaryProject;
let house: FilesHouse;
beforeEach(async () => {
  project = await temporaryProject();
  house = filesHouse(project);
});
afterEach(() => project.remove());

const paths = (output: Output): string[] => (output['entries'] as { path: string }[]).map(({ path }) => path);

async function committed(...files: string[]): Promise<void> {
  for (const file of files) await project.write(file, `${file}\n`);
  project.git('init', '--quiet');
  project.git('add', '-f', '.');
}

describe('list_project_tracked_files', () => {
  const list = (args: Record<string, string | number | string[]> = {}): Promise<Output> => house.succeed('list_project_tracked_files', args);

  it('lists the index and nothing else', async () => {
    await committed('b.ts', 'src/a.ts', 'src/deep/c.md', 'node_modules/x.js', '.env');
    await project.write('new.ts', '');
    expect(await list()).toEqual({
      entries: [
        { path: '.env', type: 'file', protected: true },
        { path: 'b.ts', type: 'file' },
        { path: 'src/a.ts', type: 'file' },
        { path: 'src/deep/c.md', type: 'file' },
      ],
      returned_count: 4,
      total_count: 4,
      total_files: 4,
      depth: null,
      next_offset: null,
      left_out: 1,
    });
    expect(paths(await list({ query: 'DEEP' }))).toEqual(['src/deep/c.md']);
    expect(paths(await list({ globs: ['*.ts'], path: 'src' }))).toEqual(['src/a.ts']);
    expect((await list({ depth: 1 }))['entries']).toContainEqual({ path: 'src', type: 'directory', files: 2 });
    expect(paths(await list({ depth: 1, path: 'src' }))).toEqual(['src/a.ts', 'src/deep']);
    expect(await list({ limit: 1, offset: 1, depth: 16 })).toMatchObject({ returned_count: 1, next_offset: 2 });
  });

  it('refuses with the kinds of its table', async () => {
    expect(await house.fail('list_project_tracked_files', {})).toMatchObject({ error_kind: 'not_a_git_repository' });
    await committed('a');
    expect(await house.fail('list_project_tracked_files', { globs: ['a['] })).toMatchObject({ error_kind: 'invalid_globs' });
    expect(await house.fail('list_project_tracked_files', { path: '../x' })).toMatchObject({ error_kind: 'invalid_path' });
    expect(await house.fail('list_project_tracked_files', { path: 'secrets' })).toMatchObject({ error_kind: 'sensitive_path' });
  });

  it('rolls up as far as it takes for all to fit', () => {
    const files = ['a/x/1', 'a/x/2', 'a/y/1', 'b/1', 'c'];
    expect(rollUp(files, '', null, 5)).toMatchObject({ depth: null });
    expect(rollUp(files, '', null, 4)).toEqual({
      depth: 2,
      entries: [
        { path: 'a/x', type: 'directory', files: 2 },
        { path: 'a/y', type: 'directory', files: 1 },
        { path: 'b/1', type: 'file' },
        { path: 'c', type: 'file' },
      ],
    });
    expect(rollUp(files, '', null, 1)).toMatchObject({ depth: 1, entries: [{ path: 'a', files: 3 }, { path: 'b', files: 1 }, { path: 'c' }] });
  });
});

describe('read_project_overview', () => {
  const overview = (args: Record<string, string | number> = {}): Promise<Output> => house.succeed('read_project_overview', args);

  it('shows the top levels, names what it does not enter, and reads no content', async () => {
    await committed('.gitignore', 'src/a.ts', 'src/deep/er/c.md');
    await project.write('.gitignore', 'out/\n');
    await project.write('out/x', '');
    await project.write('node_modules/x/y', '');
    await project.write('.env', 'SECRET=1');
    await symlink('src', project.path('link'));
    const output = await overview();
    expect(paths(output)).toEqual(['.env', '.git', '.gitignore', 'link', 'node_modules', 'out', 'src', 'src/a.ts', 'src/deep']);
    const entries = output['entries'] as unknown[];
    expect(entries).toContainEqual({ path: 'out', type: 'directory', ignored: true });
    expect(entries).toContainEqual({ path: 'node_modules', type: 'directory', protected: true });
    expect(entries).toContainEqual({ path: '.env', type: 'file', size_bytes: 8, protected: true });
    expect(entries).toContainEqual({ path: 'src', type: 'directory', entries: 2 });
    expect(entries).toContainEqual({ path: 'link', type: 'link' });
    expect(JSON.stringify(output)).not.toContain('SECRET');
    expect(paths(await overview({ path: 'src', max_depth: 3 }))).toEqual(['src/a.ts', 'src/deep', 'src/deep/er', 'src/deep/er/c.md']);
  });

  it('cuts the deepest levels first', async () => {
    for (let folder = 0; folder < 10; folder += 1) {
      for (let file = 0; file < 5; file += 1) await project.write(`f${folder}/${file}`, '');
    }
    const output = await overview({ limit: 20 });
    expect(output).toMatchObject({ returned_count: 20, truncated: true });
    expect(paths(output).filter((path) => !path.includes('/'))).toHaveLength(10);
  });

  it('refuses what is no folder of the project', async () => {
    await project.write('a', '');
    await mkdir(project.path('secrets'));
    expect(await house.fail('read_project_overview', { path: 'a' })).toMatchObject({ error_kind: 'not_directory' });
    expect(await house.fail('read_project_overview', { path: 'none' })).toMatchObject({ error_kind: 'not_found' });
    expect(await house.fail('read_project_overview', { path: 'secrets' })).toMatchObject({ error_kind: 'sensitive_path' });
  });
});
