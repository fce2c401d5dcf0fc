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

/**
 * The notification that one note of a call has reached whoever listens behind the daemon:
 * a Runner that sends floods waits for these, so that a slow reader slows its own command
 * down and fills nobody's memory.
 */
export const NOTE_TAKEN = 'note/taken';
export const noteTakenSchema = z.object({ call: z.number().int() });
