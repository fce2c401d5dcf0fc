import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'zx';
import { largeRepository } from '../large-repository.js';
import { beginWork } from '../project.js';
import type { Row } from '../row.js';
import { runToEnd } from '../run-to-end.js';
import { percentile } from '../statistics.js';
import { takeTurns } from '../take-turns.js';

const CHANGED = 20;

/** The status of a large repository through daemon and Runner, over `git status` by hand. */
export const gitStatus: Row = {
  name: 'git-status',
  what: '`get_git_status` of 50,000 files, over `git status` by hand',
  measure: async ({ daemon, folder }) => {
    const path = await changedRepository(join(folder, 'large'));
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

/** A few of its files are changed, and a few are untracked. */
async function changedRepository(path: string): Promise<string> {
  await largeRepository(path);
  for (let file = 0; file < CHANGED; file += 1) {
    await writeFile(join(path, 'folder-0', `${file}.ts`), 'changed\n');
    await writeFile(join(path, 'folder-1', `new-${file}.ts`), 'new\n');
  }
  await $({ cwd: path, quiet: true })`git status`;
  return path;
}
