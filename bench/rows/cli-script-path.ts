import { percentile } from '../statistics.js';
import { runToEnd } from '../run-to-end.js';
import { takeTurns } from '../take-turns.js';
import type { Row } from '../row.js';

/** What a script pays for one call: the path that never loads the command framework. */
export const cliScriptPath: Row = {
  name: 'cli-script-path',
  what: '`wc list-projects --json --input {}`, warm daemon, over bare `node -e 0`',
  measure: async ({ wc, daemon }) => {
    const { env } = await daemon();
    const { ours, baseline } = await takeTurns(
      { rounds: 60, warmUp: 5 },
      () => runToEnd(wc, ['list-projects', '--json', '--input', '{}'], { env }),
      () => runToEnd(process.execPath, ['-e', '0']),
    );
    return [{ label: 'p50', ours: percentile(ours, 0.5), baseline: percentile(baseline, 0.5), budget: 1.6 }];
  },
};
