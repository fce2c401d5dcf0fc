import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createFolderMethod,
  inspectFolderMethod,
  observeInstructionsMethod,
  receiptsMethod,
} from '../../../src/protocol/runner/project.js';
import { createProjectServices } from '../../../src/runner/project/index.js';
import { ask, rootOf, temporaryProject, type TemporaryProject } from '../temporary-project.js';

let project: TemporaryProject;
let path = process.env['PATH'] ?? '';
const services = createProjectServices({ environment: () => ({ PATH: path, GIT_DIR: '/elsewhere' }) });
beforeEach(async () => {
  project = await temporaryProject();
});
afterEach(() => project.remove());

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const inspect = (path: string, allowed_roots: string[] | null = null) =>
  ask(services, inspectFolderMethod, { path, allowed_roots });
const kindOf = (answer: object): string | undefined =>
  'refused' in answer ? (answer.refused as { error_kind: string }).error_kind : undefined;

describe('inspecting a folder', () => {
  it('resolves links, fingerprints the folder and finds no work tree where there is none', async () => {
    await symlink(project.folder, join(project.base, 'link'));
    const root = await rootOf(project.folder);
    const found = await inspect(join(project.base, 'link', '.', '..', 'link'));
    expect(found).toEqual({ path: project.folder, fingerprint: root.fingerprint, writable: true, git_work_tree: null });
  });

  it('finds the top of a work tree, also of a linked one, and not a stray .git', async () => {
    project.git('init', '--quiet');
    project.git('commit', '--allow-empty', '--quiet', '-m', 'one');
    await mkdir(project.path('deep/er'), { recursive: true });
    expect(await inspect(project.path('deep/er'))).toMatchObject({ git_work_tree: project.folder });
    const linked = join(project.base, 'linked');
    project.git('worktree', 'add', '--quiet', linked);
    expect(await inspect(linked)).toMatchObject({ git_work_tree: linked });
    await mkdir(project.path('deep/.git'));
    expect(await inspect(project.path('deep/er'))).toMatchObject({ git_work_tree: project.folder });
  });

  it('refuses what is no absolute, plain path', async () => {
    for (const path of ['', 'relative', './x', '/x\0y', '/x\ny', '/x\ud800', `/${'x'.repeat(4096)}`]) {
      expect(kindOf(await inspect(path))).toBe('invalid_project_path');
    }
  });

  it('refuses what is missing and what is no folder', async () => {
    await project.write('file', 'x');
    expect(kindOf(await inspect(project.path('gone')))).toBe('project_path_not_found');
    expect(kindOf(await inspect(project.path('file/below')))).toBe('project_path_not_found');
    expect(kindOf(await inspect(project.path('file')))).toBe('project_path_not_directory');
  });

  it('says nothing of what lies outside the allowed roots, not even whether it exists', async () => {
    await mkdir(join(project.base, 'outside'));
    await symlink(join(project.base, 'outside'), project.path('escape'));
    await symlink(project.folder, join(project.base, 'alias'));
    const roots = [project.folder, join(project.base, 'never-was')];
    const refusals = await Promise.all(
      [join(project.base, 'outside'), join(project.base, 'gone'), project.path('escape'), '/etc', `${project.folder}-more`].map(
        (path) => inspect(path, roots),
      ),
    );
    expect(new Set(refusals.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(kindOf(refusals[0] as object)).toBe('path_outside_allowed_roots');
    await mkdir(project.path('in'));
    expect(await inspect(project.path('in'), roots)).toMatchObject({ path: project.path('in') });
    expect(await inspect(project.path('in'), [join(project.base, 'alias')])).toMatchObject({ path: project.path('in') });
    expect(kindOf(await inspect(project.path('gone'), roots))).toBe('project_path_not_found');
    expect(kindOf(await inspect(project.folder, []))).toBe('path_outside_allowed_roots');
  });

  it('tells a folder apart from one that was put in its place', async () => {
    const before = await inspect(project.folder);
    await rename(project.folder, `${project.folder}-old`);
    await mkdir(project.folder);
    const after = await inspect(project.folder);
    expect(after).toMatchObject({ path: project.folder });
    expect((after as { fingerprint: string }).fingerprint).not.toBe((before as { fingerprint: string }).fingerprint);
  });

  it('reports what another user may not enter or write', async () => {
    await mkdir(project.path('closed'));
    await mkdir(project.path('readable'));
    await chmod(project.base, 0o755);
    await chmod(project.path('closed'), 0);
    await chmod(project.path('readable'), 0o555);
    // Root passes every check, so another uid has to ask.
    const asOther = (path: string): Record<string, unknown> => {
      const script = `import('${join(import.meta.dirname, '../../../dist/runner/project/inspect-folder.js')}')
        .then(({ inspectFolder }) => inspectFolder(${JSON.stringify(path)}, null))
        .then((answer) => console.log(JSON.stringify(answer)));`;
      const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
      return JSON.parse(execFileSync(process.execPath, ['-e', script], { ...identity, cwd: '/' }).toString()) as Record<string, unknown>;
    };
    expect(kindOf(asOther(project.path('closed')))).toBe('permission_denied');
    expect(asOther(project.path('readable'))).toMatchObject({ path: project.path('readable'), writable: false });
    await chmod(project.path('closed'), 0o700);
  });
});

describe('creating a folder', () => {
  const create = (changes: object = {}) =>
    ask(services, createFolderMethod, {
      path: join(project.base, 'fresh'),
      allowed_roots: null,
      name: 'Fresh start',
      template: 'empty',
      git_init: false,
      adopt_existing_empty: false,
      ...changes,
    });

  it('makes an empty folder', async () => {
    expect(await create()).toMatchObject({ created: true, files: [], git_initialized: false });
    expect(await readdir(join(project.base, 'fresh'))).toEqual([]);
  });

  it('makes the files of a template and a repository', async () => {
    const made = await create({ template: 'basic', git_init: true });
    expect(made).toMatchObject({
      created: true,
      files: ['README.md', '.gitignore'],
      git_initialized: true,
      folder: { git_work_tree: join(project.base, 'fresh') },
    });
    expect(await readFile(join(project.base, 'fresh/README.md'), 'utf8')).toBe('# Fresh start\n');
  });

  it('touches nothing that exists, except an empty folder that it may adopt', async () => {
    await project.write('file', 'x');
    expect(kindOf(await create({ path: project.folder, template: 'basic', adopt_existing_empty: true }))).toBe('already_exists');
    expect(await readdir(project.folder)).toEqual(['file']);
    await mkdir(project.path('empty'));
    expect(kindOf(await create({ path: project.path('empty') }))).toBe('already_exists');
    expect(await create({ path: project.path('empty'), adopt_existing_empty: true })).toMatchObject({ created: false });
    await mkdir(project.path('elsewhere'));
    await symlink(project.path('elsewhere'), project.path('link'));
    expect(kindOf(await create({ path: project.path('link'), adopt_existing_empty: true }))).toBe('already_exists');
  });

  it('needs a parent inside the allowed roots', async () => {
    expect(kindOf(await create({ path: join(project.base, 'no/where') }))).toBe('project_path_not_found');
    expect(kindOf(await create({ allowed_roots: [project.folder] }))).toBe('path_outside_allowed_roots');
    expect(await readdir(project.base)).toEqual(['project']);
  });

  it('leaves nothing behind when git fails', async () => {
    const usual = path;
    const git = join(project.base, 'bin');
    await mkdir(git);
    await writeFile(join(git, 'git'), '#!/bin/sh\nmkdir .git\nexit 3\n', { mode: 0o755 });
    path = `${git}:${usual}`;
    try {
      expect(kindOf(await create({ template: 'basic', git_init: true }))).toBe('git_failed');
      expect((await readdir(project.base)).sort()).toEqual(['bin', 'project']);
      path = join(project.base, 'nowhere');
      expect(kindOf(await create({ git_init: true }))).toBe('git_unavailable');
      expect((await readdir(project.base)).sort()).toEqual(['bin', 'project']);
    } finally {
      path = usual;
    }
  });
});

describe('observing instructions', () => {
  const observe = async () => ask(services, observeInstructionsMethod, { root: await rootOf(project.folder) });

  it('finds none, and then each with the digest of its bytes', async () => {
    expect(await observe()).toEqual({ sources: [], unreadable: [] });
    await project.write('AGENTS.md', 'be kind\n');
    await project.write('.github/copilot-instructions.md', '');
    await symlink('AGENTS.md', project.path('CLAUDE.md'));
    expect(await observe()).toEqual({
      sources: [
        { source_scope: 'project', path: 'AGENTS.md', fingerprint: sha256('be kind\n'), bytes: 8 },
        { source_scope: 'project', path: 'CLAUDE.md', fingerprint: sha256('be kind\n'), bytes: 8 },
        { source_scope: 'project', path: '.github/copilot-instructions.md', fingerprint: sha256(''), bytes: 0 },
      ],
      unreadable: [],
    });
  });

  it('never takes one that it may not or cannot read for absent', async () => {
    await writeFile(join(project.base, 'outside.md'), 'secret');
    await symlink(join(project.base, 'outside.md'), project.path('AGENTS.md'));
    execFileSync('mkfifo', [project.path('CLAUDE.md')]);
    await project.write('GEMINI.md', 'x'.repeat(1024 * 1024 + 1));
    expect(await observe()).toEqual({
      sources: [],
      unreadable: [
        { path: 'AGENTS.md', reason_code: 'invalid_path' },
        { path: 'CLAUDE.md', reason_code: 'not_file' },
        { path: 'GEMINI.md', reason_code: 'range_too_large' },
      ],
    });
  });

  it('refuses a root that is another folder by now', async () => {
    const root = await rootOf(project.folder);
    await rename(project.folder, `${project.folder}-old`);
    await mkdir(project.folder);
    expect(kindOf(await ask(services, observeInstructionsMethod, { root }))).toBe('project_root_changed');
  });
});

describe('receipts of outputs', () => {
  it('answer for each path in its order', async () => {
    await project.write('dist/app.js', 'built');
    await project.write('.env.local', 'KEY=1');
    await mkdir(project.path('folder'));
    const receipts = await ask(services, receiptsMethod, {
      root: await rootOf(project.folder),
      paths: ['dist/app.js', 'dist/none.js', '.env.local', '../outside', 'folder'],
    });
    expect(receipts).toEqual({
      receipts: [
        { path: 'dist/app.js', status: 'present', sha256: sha256('built'), bytes: 5, reason_code: null },
        { path: 'dist/none.js', status: 'missing', sha256: null, bytes: null, reason_code: 'not_found' },
        { path: '.env.local', status: 'refused', sha256: null, bytes: null, reason_code: 'sensitive_path' },
        { path: '../outside', status: 'refused', sha256: null, bytes: null, reason_code: 'invalid_path' },
        { path: 'folder', status: 'refused', sha256: null, bytes: null, reason_code: 'not_file' },
      ],
    });
  });
});
