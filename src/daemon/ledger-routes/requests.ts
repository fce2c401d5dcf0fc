import { z } from 'zod';
import { issueMessage } from '../kernel/issue-message.js';
import { operatorError, type OperatorAnswer } from '../operator-route.js';

export const exportRequest = z.strictObject({
  /** One Session instead of the whole ledger: its id or `~sN`. */
  session_id: z.string().min(1).max(64).optional(),
  with_chain: z.boolean().default(false),
});

export const verifyRequest = z.strictObject({
  /** The line of an earlier `anchor`. */
  anchor: z.string().trim().min(1).max(256).optional(),
});

/** For routes that take nothing. */
export const emptyRequest = z.strictObject({});

/** The request of a route, or the answer to one that is none. */
export function readRequest<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): { readonly request: z.output<Schema> } | { readonly refusal: OperatorAnswer } {
  const parsed = schema.safeParse(body ?? {}, { error: issueMessage });
  if (parsed.success) return { request: parsed.data };
  const issue = parsed.error.issues[0];
  const at = issue?.path.map(String).join('.') ?? '';
  const what = issue?.code === 'unrecognized_keys' ? 'the body has an unknown member' : (issue?.message ?? 'the body is not valid');
  return { refusal: operatorError(400, 'invalid_arguments', at === '' ? what : `${at}: ${what}`, 'see wc ledger --help') };
}
