import { percentile } from '../statistics.js';
import { runToEnd } from '../run-to-end.js';
import { takeTurns } from '../take-turns.js';
import type { Row } from '../row.js';

/** What a person waits for: the command framework and human output. */
export const cliHumanPath: Row = {
  name: 'cli-human-path',
  what: '`wc project list`, human output, over bare `node -e 0`',
  measure: async ({ wc, daemon }) => {
    const { env } = await daemon();
    const { ours, baseline } = await takeTurns(
      { rounds: 60, warmUp: 5 },
      () => runToEnd(wc, ['project', 'list'], { env }),
      () => runToEnd(process.execPath, ['-e', '0']),
    );
    return [{ label: 'p50', ours: percentile(ours, 0.5), baseline: percentile(baseline, 0.5), budget: 2.8 }];
  },
};
