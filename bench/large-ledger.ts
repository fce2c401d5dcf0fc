import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'zx';
import { beginWork } from './project.js';
import { peakMegabytes } from './resident-memory.js';
import type { Figure } from './row.js';
import { seedSessions } from './seed-sessions.js';
import type { Bench, BenchDaemon } from './world.js';

export const SESSIONS = 10_000;
export const EVENTS_EACH = 200;

/** A daemon with a ledger of 10,000 Sessions of 200 events each. */
export async function largeLedger(bench: Bench): Promise<BenchDaemon> {
  const daemon = await bench.daemon();
  await beginWork(daemon, await bench.repository());
  const run = $({ env: daemon.env, quiet: true });
  await run`${bench.wc} daemon stop`;
  seedSessions(join(daemon.stateFolder, 'ledger.db'), SESSIONS, EVENTS_EACH);
  await run`${bench.wc} daemon start`;
  return daemon;
}

/** What moving a document costs: the daemon's memory at its highest, and time by the document's size. */
export async function transferFigures(
  bench: Bench,
  daemon: BenchDaemon,
  args: readonly string[],
  file: string,
  budgets: { readonly peakMegabytes: number; readonly msPerMegabyte: number },
): Promise<readonly Figure[]> {
  const run = $({ env: daemon.env, quiet: true });
  const { pid } = JSON.parse((await run`${bench.wc} daemon status --json`).stdout) as { pid: number };
  const began = performance.now();
  const peak = await peakMegabytes(pid, () => run`${bench.wc} ${args}`);
  const took = performance.now() - began;
  const megabytes = (await stat(file)).size / 1_000_000;
  return [
    { label: 'peak memory of the daemon', value: peak, unit: 'MB', budget: budgets.peakMegabytes },
    { label: `time per MB of ${Math.round(megabytes)} MB`, value: took / megabytes, unit: 'ms', budget: budgets.msPerMegabyte },
  ];
}
