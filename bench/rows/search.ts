import { rgPath } from '@vscode/ripgrep';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { largeRepository } from '../large-repository.js';
import { beginWork } from '../project.js';
import type { Figure, Row } from '../row.js';
import { runToEnd } from '../run-to-end.js';
import { percentile } from '../statistics.js';
import { takeTurns, timed, type Way } from '../take-turns.js';

const PATTERN = 'value = 77;';
/** Places where telling of every ignored file would take longer than searching. */
const IGNORED_A_FOLDER = 40;
/** Calls that are timed while one search runs, and how many searches there are. */
const OTHER_CALLS = 20;
const SEARCHES = 10;

/** Searching all of a large repository through daemon and Runner, over ripgrep by hand. */
export const search: Row = {
  name: 'search',
  what: '`search_project_texts` of 50,000 files, over ripgrep by hand',
  measure: async ({ daemon, folder }) => {
    const ours = await daemon();
    const figures: Figure[] = [];
    for (const [label, ignoredFilesAFolder] of [['p50', 0], ['p50, 10,000 single files ignored', IGNORED_A_FOLDER]] as const) {
      const path = await largeRepository(join(folder, `large-${ignoredFilesAFolder}`), { ignoredFilesAFolder });
      const { project } = await beginWork(ours, path);
      const samples = await takeTurns(
        { rounds: 20, warmUp: 3 },
        () => ours.call('search_project_texts', { project, queries: [{ pattern: PATTERN }] }),
        () => runToEnd(rgPath, ['--no-config', '--hidden', '--json', PATTERN, './'], { cwd: path, stdio: ['ignore', 'pipe', 'pipe'] }),
      );
      figures.push({ label, ours: percentile(samples.ours, 0.5), baseline: percentile(samples.baseline, 0.5), budget: 1.3 });
    }
    return figures;
  },
};

/** What searches of a whole tree cost the calls of others: they may take every processor, but not the loops of daemon and Runner. */
export const searchBesides: Row = {
  name: 'search-besides',
  what: 'other calls while a whole tree of 50,000 files is searched, over idle',
  measure: async ({ daemon, folder }) => {
    const ours = await daemon();
    const path = await largeRepository(join(folder, 'large'), { ignoredFilesAFolder: IGNORED_A_FOLDER });
    const { project } = await beginWork(ours, path);
    // One that the daemon answers by itself, and one that needs the Runner.
    const ways: readonly (readonly [string, Way])[] = [
      ['list_projects', () => ours.call('list_projects', {})],
      ['read_files', () => ours.call('read_files', { project, items: [{ path: 'folder-7/7.ts' }] })],
    ];
    const figures: Figure[] = [];
    for (const [label, call] of ways) {
      for (let round = 0; round < 100; round += 1) await call();
      const idle = await sample(call, OTHER_CALLS * SEARCHES);
      const besides: number[] = [];
      for (let round = 0; round < SEARCHES; round += 1) {
        const searching = ours.call('search_project_texts', { project, queries: [{ pattern: 'value', result_mode: 'count' }] });
        // The search has begun.
        await delay(10);
        besides.push(...(await sample(call, OTHER_CALLS)));
        await searching;
      }
      figures.push({
        label: `${label} delayed, p99`,
        value: Math.max(0, percentile(besides, 0.99) - percentile(idle, 0.99)),
        unit: 'ms',
        budget: 20,
      });
    }
    return figures;
  },
};

async function sample(call: Way, count: number): Promise<number[]> {
  const samples: number[] = [];
  for (let taken = 0; taken < count; taken += 1) samples.push(await timed(call));
  return samples;
}
