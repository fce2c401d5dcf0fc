import { z } from 'zod';
import { jobSchema } from './jobs.js';
import { runnerMethod } from './method.js';

/**
 * Follows the published Jobs of a Runner: waits until one of them has changed, and
 * answers with those that have, and with the ids of all. Output that grows is no change.
 */
export const watchJobsMethod = runnerMethod({
  name: 'jobs/watch',
  params: z.strictObject({
    /** The revision that was seen last; null, or one of another instance, is answered at once with every Job. */
    after: z.strictObject({ instance: z.string(), revision: z.int().min(0) }).nullable(),
    wait_ms: z.int().min(0),
  }),
  result: z.strictObject({
    /** The Runner's life, as in a cursor. */
    instance: z.string(),
    revision: z.int(),
    changed: z.array(jobSchema),
    /** Every published Job that the Runner has: one that is missing here is gone. */
    present: z.array(z.string()),
  }),
  note: z.never(),
  effectful: false,
});
