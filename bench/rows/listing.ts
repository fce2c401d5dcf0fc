import { join } from 'node:path';
import { largeRepository } from '../large-repository.js';
import { beginWork } from '../project.js';
import type { Row } from '../row.js';
import { runToEnd } from '../run-to-end.js';
import { percentile } from '../statistics.js';
import { takeTurns } from '../take-turns.js';

/** Listing the tracked files of a large repository, rolled up to fit, over the index as git prints it. */
export const listing: Row = {
  name: 'listing',
  what: '`list_project_tracked_files` of 50,000 files, over `git ls-files` by hand',
  measure: async ({ daemon, folder }) => {
    const path = await largeRepository(join(folder, 'large'));
    const ours = await daemon();
    const { project } = await beginWork(ours, path);
    const samples = await takeTurns(
      { rounds: 30, warmUp: 5 },
      () => ours.call('list_project_tracked_files', { project }),
      () => runToEnd('git', ['ls-files', '-z'], { cwd: path, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    return [{ label: 'p50', ours: percentile(samples.ours, 0.5), baseline: percentile(samples.baseline, 0.5), budget: 1.5 }];
  },
};
