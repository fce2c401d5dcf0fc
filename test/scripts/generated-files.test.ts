import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkFiles, writeFiles } from '../../scripts/generation/generated-files.js';

const files = new Map([
  ['catalog.json', '{}\n'],
  ['docs/tools/one.md', '# one\n'],
]);
let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'wc-generated-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

it('finds missing, changed and left-over files, and writing mends them all', async () => {
  await mkdir(join(root, 'docs', 'tools'), { recursive: true });
  await writeFile(join(root, 'docs', 'tools', 'one.md'), '# edited by hand\n');
  await writeFile(join(root, 'docs', 'tools', 'gone.md'), '# of a tool that is gone\n');
  expect(await checkFiles(root, files, ['docs/tools'])).toEqual(['catalog.json', 'docs/tools/gone.md', 'docs/tools/one.md']);

  expect(await writeFiles(root, files, ['docs/tools'])).toEqual(['catalog.json', 'docs/tools/gone.md', 'docs/tools/one.md']);
  expect(await checkFiles(root, files, ['docs/tools'])).toEqual([]);
  expect(await readdir(join(root, 'docs', 'tools'))).toEqual(['one.md']);
  expect(await readFile(join(root, 'catalog.json'), 'utf8')).toBe('{}\n');
});

it('leaves files of other folders alone', async () => {
  await mkdir(join(root, 'docs'));
  await writeFile(join(root, 'docs', 'concepts.md'), '# by hand\n');
  await writeFiles(root, files, ['docs/tools']);
  expect(await readFile(join(root, 'docs', 'concepts.md'), 'utf8')).toBe('# by hand\n');
});
