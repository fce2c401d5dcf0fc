import { join } from 'node:path';
import { $ } from 'zx';
import { beginWork } from '../project.js';
import { residentMegabytes } from '../resident-memory.js';
import type { Row } from '../row.js';
import { seedSessions } from '../seed-sessions.js';
import { percentile } from '../statistics.js';
import { takeTurns, type Way } from '../take-turns.js';
import type { Bench, BenchDaemon } from '../world.js';

const SESSIONS = 10_000;
const EVENTS_EACH = 200;

/** Whether a long history makes the daemon slow to come back, or large. */
export const daemonStart: Row = {
  name: 'daemon-start',
  what: `start of the daemon with ${SESSIONS.toLocaleString('en')} Sessions of ${EVENTS_EACH} events, over an empty one; its memory`,
  measure: async (bench) => {
    const full = await bench.daemon();
    await beginWork(full, await bench.repository());
    await stop(bench, full);
    seedSessions(join(full.stateFolder, 'ledger.db'), SESSIONS, EVENTS_EACH);
    const empty = await bench.daemon();
    await stop(bench, empty);
    const samples = await takeTurns({ rounds: 15, warmUp: 2 }, startOf(bench, full), startOf(bench, empty));

    await startOf(bench, full)();
    const { pid } = JSON.parse((await run(bench, full, ['daemon', 'status', '--json'])).stdout) as { pid: number };
    const megabytes = await residentMegabytes(pid);
    return [
      { label: 'p50', ours: percentile(samples.ours, 0.5), baseline: percentile(samples.baseline, 0.5), budget: 1.5 },
      { label: 'resident memory', value: megabytes, unit: 'MB', budget: 250 },
    ];
  },
};

/** Starts the daemon until it answers; stopping it again is not timed. */
function startOf(bench: Bench, daemon: BenchDaemon): Way {
  return async () => {
    await run(bench, daemon, ['daemon', 'start']);
    return () => stop(bench, daemon);
  };
}

function stop(bench: Bench, daemon: BenchDaemon): Promise<unknown> {
  return run(bench, daemon, ['daemon', 'stop']);
}

function run({ wc }: Bench, { env }: BenchDaemon, args: readonly string[]) {
  return $({ env, quiet: true })`${wc} ${args}`;
}
