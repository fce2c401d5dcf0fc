import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { $ } from 'zx';
import type { Row } from '../row.js';
import { seedAudit } from '../seed-audit.js';
import { percentile } from '../statistics.js';
import { timed, type Way } from '../take-turns.js';

const ROWS = 600_000;
const KEPT = 100_000;
/** Rows that a daemon writes before its retention looks again, and some more. */
const TRIGGER_CALLS = 10_100;

/** Whether the removal of old rows is felt by anybody. */
export const auditRetention: Row = {
  name: 'audit-retention',
  what: `the longest delay of a call while ${(ROWS - KEPT).toLocaleString('en')} audit rows are removed`,
  measure: async ({ wc, daemon, defer }) => {
    const ours = await daemon({
      config: { audit: { max_rows: KEPT } },
      prepare: async (stateFolder) => {
        const run = $({ env: { ...process.env, WC_HOME: stateFolder }, quiet: true });
        await run`${wc} list-projects --json --input {}`;
        await run`${wc} daemon stop`;
        seedAudit(join(stateFolder, 'audit.db'), ROWS);
      },
    });
    const database = new SqliteDatabase(join(ours.stateFolder, 'audit.db'), { readonly: true });
    defer(() => database.close());
    const rows = database.prepare<[], number>('SELECT count(*) FROM action_events').pluck();
    const call: Way = async () => {
      await ours.call('list_projects', {});
    };
    const idle: number[] = [];
    for (let round = 0; round < TRIGGER_CALLS; round += 1) idle.push(await timed(call));
    const usual = percentile(idle.slice(-500), 0.5);
    let longestDelay = 0;
    // A look at the count costs this process alone.
    while ((rows.get() ?? 0) > KEPT + TRIGGER_CALLS) {
      for (let round = 0; round < 2_000; round += 1) longestDelay = Math.max(longestDelay, (await timed(call)) - usual);
    }
    const status = (await ours.call('get_runtime_status', { compact: true })) as { audit?: { audit_dropped_total?: number } };
    if (status.audit?.audit_dropped_total !== 0) throw new Error('audit rows were lost');
    return [{ label: 'longest delay of a call', value: longestDelay, unit: 'ms', budget: 20 }];
  },
};
