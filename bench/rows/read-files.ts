import { join } from 'node:path';
import { largeRepository } from '../large-repository.js';
import { beginWork } from '../project.js';
import type { Row } from '../row.js';
import { percentile } from '../statistics.js';
import { timed } from '../take-turns.js';

const FILES = 8;
const ROUNDS = 200;

/** Reading several files at once, from the call to its answer. */
export const readFiles: Row = {
  name: 'read-files',
  what: `\`read_files\` of ${FILES} files of a repository of 50,000`,
  measure: async ({ daemon, folder }) => {
    const path = await largeRepository(join(folder, 'large'));
    const ours = await daemon();
    const { project, session } = await beginWork(ours, path);
    const samples: number[] = [];
    for (let round = -20; round < ROUNDS; round += 1) {
      const items = Array.from({ length: FILES }, (_, file) => ({ path: `folder-${(round + 20) % 250}/${file}.ts` }));
      const took = await timed(() => ours.call('read_files', { project, session_id: session, items }));
      if (round >= 0) samples.push(took);
    }
    return [{ label: 'p50', value: percentile(samples, 0.5), unit: 'ms', budget: 10 }];
  },
};
