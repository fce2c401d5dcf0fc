import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryProject, type TemporaryProject } from '../../runner/temporary-project.js';
import { filesHouse, type FilesHouse } from '../files/files-house.js';

let project: TemporaryProject;
let house: FilesHouse;

beforeEach(async () => {
  project = await temporaryProject();
  house = filesHouse(project);
});
afterEach(() => project.remove());

it('a folder without Git is a success that says so', async () => {
  expect(await house.succeed('read_workspace_changes', { include_diff: true })).toMatchObject({
    verdict: 'not_a_repository',
    is_repository: false,
    branch: null,
    head: null,
    files: [],
    hunks: [],
  });
});

it('says what changed, with hunks only when asked', async () => {
  project.git('init', '-q');
  await project.write('a.txt', 'one\n');
  project.git('add', '-A');
  project.git('commit', '-q', '-m', 'a');
  expect(await house.succeed('read_workspace_changes', {})).toMatchObject({ verdict: 'clean', branch: 'main', files: [] });
  await project.write('a.txt', 'two\n');
  const output = await house.succeed('read_workspace_changes', {});
  expect(output).toMatchObject({ verdict: 'changed', counts: { changed: 1 }, diff_stat: { files: 1, insertions: 1, deletions: 1 } });
  expect(output['hunks']).toBeUndefined();
  expect(await house.succeed('read_workspace_changes', { include_diff: true })).toMatchObject({
    hunks: [{ path: 'a.txt', text: '-one\n+two' }],
    more_hunks: false,
  });
});

it('keeps to 192 KiB of JSON, however long names and hunks are', async () => {
  project.git('init', '-q');
  project.git('commit', '-q', '--allow-empty', '-m', 'a');
  const folder = Array.from({ length: 8 }, () => 'd'.repeat(200)).join('/');
  for (let file = 0; file < 200; file += 1) await project.write(`${folder}/${file}`, `${'"\\'.repeat(200)}\n`.repeat(20));
  project.git('add', '-A');
  const output = await house.succeed('read_workspace_changes', { include_diff: true, max_hunks: 100, max_hunk_lines: 240 });
  expect(Buffer.byteLength(JSON.stringify({ success: true, output }))).toBeLessThanOrEqual(192 * 1024);
  expect(output).toMatchObject({ counts: { changed: 200 }, files_truncated: true });
});
