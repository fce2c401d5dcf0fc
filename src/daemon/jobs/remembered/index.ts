import type { Database } from 'better-sqlite3';
import type { Domain } from '../../domain.js';
import type { RunnerPort } from '../../runner-link/index.js';
import type { CommitQueue } from '../../storage/commit-queue.js';
import { followRunner } from './follow-runner.js';
import { JobMemory } from './job-memory.js';
import { JobReceipts } from './job-receipts.js';
import { ReceiptStore } from './receipt-store.js';
import { RememberingRunner } from './remembering-runner.js';

export interface JobMemoryDeps {
  readonly runner: RunnerPort;
  readonly database: Database;
  readonly commits: CommitQueue;
  /** How long active Jobs wait for a Runner that is away, in milliseconds. */
  readonly recoveryMs: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Wall clock, Unix milliseconds. */
  readonly wallClock: () => number;
  /** A receipt that could not be stored. */
  readonly onFault: (error: unknown) => void;
}

/** The Runner with the daemon's memory of its Jobs, and the domain that keeps that up to date. */
export interface RememberedJobs {
  readonly runner: RunnerPort;
  readonly domain: Domain;
}

/** Begins to follow the Runner's Jobs, and remembers them while it is away and after it has forgotten (spec 03 §12). */
export function rememberJobs({ runner, database, commits, recoveryMs, now, wallClock, onFault }: JobMemoryDeps): RememberedJobs {
  const receipts = new JobReceipts(new ReceiptStore(database, commits, onFault), { now, wallClock });
  const memory = new JobMemory({ receipts, recoveryMs, now, wallClock });
  const stop = new AbortController();
  const following = followRunner(runner, memory, stop.signal).catch(onFault);
  return {
    runner: new RememberingRunner({ runner, memory, now }),
    domain: {
      name: 'job_memory',
      tools: [],
      status: () => ({ receipts: receipts.all().length, recovering: memory.recoveringCount }),
      close: async () => {
        stop.abort();
        memory.close();
        await following;
      },
    },
  };
}
