import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { applyDiffMethod, editFilesMethod } from '../../../src/protocol/runner/edits.js';
import { createFilesServices } from '../../../src/runner/files/index.js';
import { Turns } from '../../../src/runner/turns.js';
import { ask, temporaryProject, type TemporaryProject } from '../temporary-project.js';
import { testJournal } from './test-journal.js';

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const services = createFilesServices({ places: 2, turns: new Turns(), ...testJournal() });

/** Packages of different size, each with a file of text to edit. */
const PACKAGES = [
  { name: 'picomatch', file: 'lib/scan.js' },
  { name: 'diff', file: 'libesm/patch/parse.js' },
  { name: 'zod', file: 'v4/core/schemas.js' },
];

let project: TemporaryProject;
afterEach(() => project.remove());

/** The tree that Git makes of the work tree: names, modes and bytes. */
function treeOf(of: TemporaryProject): string {
  of.git('add', '-A', '--force');
  return of.git('write-tree').trim();
}

describe.each(PACKAGES)('the tree of $name', ({ name, file }) => {
  it('becomes the same by our edits, by the diff of them, and by hand', async () => {
    project = await temporaryProject();
    cpSync(join(MODULES, name), project.folder, { recursive: true });
    project.git('init', '-q');
    project.git('config', 'core.autocrlf', 'false');
    const start = treeOf(project);
    project.git('commit', '-qm', 'as published');
    const text = readFileSync(project.path(file), 'utf8');
    const lines = text.split('\n');
    const target = lines.findIndex((line, index) => index > 20 && line.trim() !== '' && lines.indexOf(line) === lines.lastIndexOf(line) && text.indexOf(line) === text.lastIndexOf(line));
    const line = lines[target] ?? '';

    // By hand.
    writeFileSync(project.path(file), ['// first', ...lines.slice(0, target), `${line} // changed`, ...lines.slice(target + 1)].join('\n'));
    await mkdir(dirname(project.path('docs/moved/README.md')), { recursive: true });
    await rename(project.path('README.md'), project.path('docs/moved/README.md'));
    await rm(project.path('LICENSE'));
    await project.write('notes/new.txt', 'new\n');
    const wanted = treeOf(project);
    const diff = project.git('diff', '--cached', '-M', 'HEAD');
    expect(wanted).not.toBe(start);

    project.git('reset', '-q', '--hard');
    const answer = await ask(services, editFilesMethod, {
      root: project.root,
      project: 'p',
      changes: [
        {
          kind: 'edit',
          path: file,
          edits: [
            { kind: 'insert_after', anchor_text: line, new_text: ' // changed' },
            { kind: 'insert_before', anchor_text: `${lines[0] ?? ''}\n`, occurrence: 1, new_text: '// first\n' },
          ],
        },
        { kind: 'rename', path: 'README.md', to_path: 'docs/moved/README.md' },
        { kind: 'delete', path: 'LICENSE' },
        { kind: 'create', path: 'notes/new.txt', content: 'new\n' },
      ],
      dry_run: false,
      include_diff: false,
    });
    expect(answer).toMatchObject({ applied_count: 4 });
    expect(treeOf(project)).toBe(wanted);

    project.git('reset', '-q', '--hard');
    expect(treeOf(project)).toBe(start);
    expect(await ask(services, applyDiffMethod, { root: project.root, project: 'p', diff, deny_sensitive_paths: true })).toMatchObject({ applied_count: 4 });
    expect(treeOf(project)).toBe(wanted);
  }, 60_000);
});
