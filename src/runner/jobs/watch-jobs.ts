import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import type { watchJobsMethod } from '../../protocol/runner/job-watch.js';
import type { JobView } from '../../protocol/runner/jobs.js';
import type { JobInventory } from './job-inventory.js';
import type { Job } from './job.js';

type WatchParams = z.output<typeof watchJobsMethod.params>;
type WatchAnswer = z.input<typeof watchJobsMethod.result>;

/** Changes that come together are told together. */
const TOGETHER_MS = 20;

export interface WatchParts {
  readonly inventory: JobInventory;
  /** This Runner's life, 8 hex digits. */
  readonly instance: string;
  readonly view: (job: Job) => JobView;
}

/** Waits for the next change of the published Jobs, and tells what has changed (spec 03 §12). */
export async function watchJobs({ inventory, instance, view }: WatchParts, { after, wait_ms }: WatchParams, signal: AbortSignal): Promise<WatchAnswer> {
  const { changes } = inventory;
  const seen = after?.instance === instance ? after.revision : null;
  if (seen !== null && seen === changes.revision) {
    await changes.past(seen, wait_ms, signal);
    if (changes.revision !== seen) await sleep(TOGETHER_MS);
  }
  const changed = seen === null ? inventory.published() : changes.changedSince(seen);
  return {
    instance,
    revision: changes.revision,
    changed: changed.map(view),
    present: inventory.published().map(({ id }) => id),
  };
}
