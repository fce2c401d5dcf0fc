import { z } from 'zod';

/**
 * What travels as the `params` of every Runner request: the method's own parameters,
 * and the number that ties notes to their request. Notes come back as JSON-RPC
 * progress whose token is `call`.
 */
export const wireRequestSchema = z.strictObject({
  /** Unique on one connection. */
  call: z.number().int(),
  /** Whether anybody listens; without a listener nothing is sent. */
  notes: z.boolean(),
  params: z.unknown(),
});
export type WireRequest = z.infer<typeof wireRequestSchema>;
