import { join } from 'node:path';
import { newSession, openLedger, recordCall } from '../recorded-calls.js';
import type { Row } from '../row.js';
import { percentile } from '../statistics.js';
import { takeTurns, type Way } from '../take-turns.js';
import type { Bench } from '../world.js';

const FEW = 10;
const MANY = 10_000;

/** Whether the cost of one event grows with the history; measured inside the process, where nothing dilutes it. */
export const appendEvent: Row = {
  name: 'append-event',
  what: `append of one recorded event at ${MANY.toLocaleString('en')} Sessions, over the same at ${FEW}`,
  measure: async (bench) => {
    const many = await appenderAt(bench, MANY);
    const few = await appenderAt(bench, FEW);
    const samples = await takeTurns({ rounds: 2_000, warmUp: 200 }, many, few);
    return [
      { label: 'p50', ours: percentile(samples.ours, 0.5), baseline: percentile(samples.baseline, 0.5), budget: 1.2 },
    ];
  },
};

/** A ledger with `count` Sessions, and the append to be timed: one pair, until its commit. */
async function appenderAt({ folder, defer }: Bench, count: number): Promise<Way> {
  const { domain, database } = openLedger(join(folder, `ledger-${count}.db`));
  defer(() => database.close());
  let sessionId = await newSession(domain);
  for (let made = 1; made < count; made += 1) sessionId = await newSession(domain);
  return () => recordCall(domain, sessionId);
}
