import { z } from 'zod';

/** A report in an output. */
export const reportOutput = z.strictObject({
  adapter_id: z.string(),
  event_id: z.string(),
  observed_tool: z.string(),
  reported_status: z.enum(['reported_success', 'reported_failure', 'unknown']),
  exit_code: z.int().nullable(),
  recorded_at: z.int(),
});
