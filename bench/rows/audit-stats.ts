import { join } from 'node:path';
import { $ } from 'zx';
import type { Row } from '../row.js';
import { seedAudit } from '../seed-audit.js';
import { percentile } from '../statistics.js';
import { timed, type Way } from '../take-turns.js';

const ROWS = 1_000_000;
const READS = 5;

/** Whether an operator's look at a full store disturbs anybody. */
export const auditStats: Row = {
  name: 'audit-stats',
  what: `wc audit stats over ${ROWS.toLocaleString('en')} rows, and the longest delay of a call meanwhile`,
  measure: async ({ wc, daemon }) => {
    const ours = await daemon({
      config: { audit: { max_rows: 2 * ROWS } },
      prepare: async (stateFolder) => {
        const run = $({ env: { ...process.env, WC_HOME: stateFolder }, quiet: true });
        await run`${wc} list-projects --json --input {}`;
        await run`${wc} daemon stop`;
        seedAudit(join(stateFolder, 'audit.db'), ROWS);
      },
    });
    const call: Way = async () => {
      await ours.call('list_projects', {});
    };
    const idle: number[] = [];
    for (let round = 0; round < 1_000; round += 1) idle.push(await timed(call));
    const usual = percentile(idle.slice(-500), 0.5);

    const wcAudit = $({ env: ours.env, quiet: true });
    const reads: number[] = [];
    let longestDelay = 0;
    for (let round = 0; round < READS; round += 1) {
      const read = { running: true };
      const took = timed(async () => {
        await wcAudit`${wc} audit stats`;
      }).finally(() => {
        read.running = false;
      });
      while (read.running) longestDelay = Math.max(longestDelay, (await timed(call)) - usual);
      reads.push(await took);
    }
    return [
      { label: 'p50', value: percentile(reads, 0.5), unit: 'ms', budget: 1_000 },
      { label: 'longest delay of a call', value: longestDelay, unit: 'ms', budget: 20 },
    ];
  },
};
