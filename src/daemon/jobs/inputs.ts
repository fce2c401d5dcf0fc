import { z } from 'zod';
import { WAKE_ON } from '../../protocol/runner/jobs.js';

/** Any text passes: an id that names nothing is answered like one of somebody else. */
export const jobId = z.string().min(1).max(200).meta({ description: 'Job id, as run_job or list_jobs gave it' });

export const observationToken = z.string().min(1).max(1_000).optional().meta({ description: 'Token of an earlier look: shows what is new since' });

export const wakeOn = z
  .enum(WAKE_ON)
  .default('change')
  .meta({ description: 'change: output or state; meaningful_change: state; terminal: any Job ended; all_terminal: all ended' });

/** Seconds of a wait that is cut and not refused; 0 does not wait. */
export function waitSecs(maximum: number): z.ZodType<number, number | undefined> {
  return z
    .int()
    .min(0)
    .overwrite((seconds) => Math.min(seconds, maximum))
    .default(0)
    .meta({ description: `0..${maximum}, more is cut; 0 does not wait` });
}
