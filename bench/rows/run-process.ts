import { beginWork } from '../project.js';
import type { Row } from '../row.js';
import { runToEnd } from '../run-to-end.js';
import { percentile } from '../statistics.js';
import { takeTurns } from '../take-turns.js';

/** What a run through daemon and Runner costs over starting the program oneself. */
export const runProcess: Row = {
  name: 'run-process',
  what: '`run_process true` over `child_process.spawn`',
  measure: async ({ daemon, repository }) => {
    const ours = await daemon();
    const path = await repository();
    const { project } = await beginWork(ours, path);
    const samples = await takeTurns(
      { rounds: 300, warmUp: 50 },
      () => ours.call('run_process', { project, executable: 'true' }),
      () => runToEnd('true', [], { cwd: path, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    return [
      { label: 'p50', ours: percentile(samples.ours, 0.5), baseline: percentile(samples.baseline, 0.5), budget: 1.5 },
    ];
  },
};
