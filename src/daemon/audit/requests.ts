import { z } from 'zod';
import { storableText } from './redaction-pass.js';

/** A whole number that is cut to its range, as the audit's limits are. */
function limit(minimum: number, maximum: number, fallback: number): z.ZodType<number> {
  return z
    .int()
    .default(fallback)
    .transform((value) => Math.min(maximum, Math.max(minimum, value)));
}

const sessionId = z.string().trim().min(1, 'must not be blank').max(120);
const status = z.enum(['open', 'closed']);
const instant = z.int().min(0);
const tool = z.string().trim().min(1).max(80);
const note = z
  .string()
  .transform((text) => storableText(text))
  .optional();

export const sessionsRequest = z.strictObject({ limit: limit(1, 200, 50), status: status.optional() });
export const sessionRequest = z.strictObject({ session_id: sessionId, events_limit: limit(1, 200, 50) });
export const statsRequest = z.strictObject({ session_id: sessionId.optional(), limit: limit(1, 50, 20) });
export const closeRequest = z.strictObject({ session_id: sessionId, note });

const eventFilter = {
  session_id: sessionId.optional(),
  tool: tool.optional(),
  since: instant.optional(),
  until: instant.optional(),
};

/** A place to read on from: `row`, or `start.row`, as an answer gave it. */
const cursor = z.string().regex(/^\d{1,16}(?:\.\d{1,16})?$/, 'is no cursor of this route');

/** What `wc audit` asks beyond the three routes (spec 05 §11). */
export const queryRequest = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('sessions'),
    status: status.optional(),
    since: instant.optional(),
    limit: limit(1, 200, 50),
  }),
  z.strictObject({
    kind: z.literal('events'),
    ...eventFilter,
    failed: z.boolean().default(false),
    order: z.enum(['newest', 'oldest', 'inserted']).default('newest'),
    cursor: cursor.optional(),
    limit: limit(1, 200, 50),
  }),
  z.strictObject({
    kind: z.literal('tools'),
    ...eventFilter,
    /** Only the sessions that were used last. */
    last_sessions: z
      .int()
      .transform((count) => Math.min(50, Math.max(1, count)))
      .optional(),
  }),
]);
export type QueryRequest = z.output<typeof queryRequest>;

const failed = z.boolean().default(false);
export const exportRequest = z.strictObject({ ...eventFilter, failed });
export const tailRequest = z.strictObject({
  session_id: sessionId.optional(),
  tool: tool.optional(),
  failed,
  /** How many of the events that there are come first. */
  last: limit(0, 200, 10),
  /** Where an earlier answer broke off; then `last` does not count. */
  cursor: z.string().regex(/^\d{1,16}$/, 'is no cursor of this route').optional(),
});

/** What is wrong with a body, in one sentence; it names a member and never quotes a value. */
export function describeProblem(error: z.ZodError): string {
  const issue = error.issues[0];
  const at = issue?.path.map(String).join('.') ?? '';
  const what = issue?.code === 'unrecognized_keys' ? 'the body has an unknown member' : (issue?.message ?? 'the body is not valid');
  return at === '' ? what : `${at}: ${what}`;
}
