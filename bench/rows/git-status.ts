import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'zx';
import { beginWork } from '../project.js';
import type { Row } from '../row.js';
import { runToEnd } from '../run-to-end.js';
import { percentile } from '../statistics.js';
import { takeTurns } from '../take-turns.js';

const FOLDERS = 250;
const FILES_A_FOLDER = 200;
const CHANGED = 20;

/** The status of a large repository through daemon and Runner, over `git status` by hand. */
export const gitStatus: Row = {
  name: 'git-status',
  what: '`get_git_status` of 50,000 files, over `git status` by hand',
  measure: async ({ daemon, folder }) => {
    const path = await largeRepository(join(folder, 'large'));
    const ours = await daemon();
    const { project } = await beginWork(ours, path);
    const samples = await takeTurns(
      { rounds: 30, warmUp: 5 },
      () => ours.call('get_git_status', { project }),
      () => runToEnd('git', ['status'], { cwd: path, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    return [{ label: 'p50', ours: percentile(samples.ours, 0.5), baseline: percentile(samples.baseline, 0.5), budget: 1.5 }];
  },
};

/** Committed files with a few of them changed and a few untracked ones. */
async function largeRepository(path: string): Promise<string> {
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    const at = join(path, `folder-${folder}`);
    await mkdir(at, { recursive: true });
    await Promise.all(Array.from({ length: FILES_A_FOLDER }, (_, file) => writeFile(join(at, `${file}.ts`), `export const value = ${file};\n`)));
  }
  const git = $({ cwd: path, quiet: true });
  await git`git init -q`;
  await git`git add -A`;
  await git`git -c user.name=bench -c user.email=bench@localhost commit -q -m base`;
  for (let file = 0; file < CHANGED; file += 1) {
    await writeFile(join(path, 'folder-0', `${file}.ts`), 'changed\n');
    await writeFile(join(path, 'folder-1', `new-${file}.ts`), 'new\n');
  }
  await git`git status`;
  return path;
}
