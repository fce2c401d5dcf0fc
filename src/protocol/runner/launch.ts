import { z } from 'zod';
import { MAX_CONCURRENT_JOBS } from '../execution-limits.js';

/**
 * What the Runner's process is started with, as one JSON argument. It holds no secret.
 * The daemon makes it from its own settings; the Runner checks it anew.
 */
export const runnerLaunchSchema = z.strictObject({
  state_folder: z.string(),
  /** The private socket that it serves on. */
  socket_path: z.string(),
  /** Where FIFOs, output and the record of started groups live; made when it is missing. */
  spool_folder: z.string(),
  /** Whether children start from the user's login environment or from the Runner's own. */
  env: z.enum(['login', 'inherit']),
  noninteractive: z.boolean(),
  max_concurrent_jobs: z.int().min(1).max(MAX_CONCURRENT_JOBS),
  spool_max_bytes: z.int().min(64 * 1_024),
});
export type RunnerLaunch = z.infer<typeof runnerLaunchSchema>;
