import { z } from 'zod';
import { SCOPES } from '../../protocol/scopes.js';

const tokenName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$/, 'a name has 1 to 64 letters, digits, "_", ".", "@" or "-"');

const YEAR_IN_SECONDS = 366 * 24 * 3_600;

/** The body of `POST /api/tokens/create`. */
export const createTokenRequest = z.strictObject({
  name: tokenName,
  scopes: z
    .array(z.enum(SCOPES))
    .min(1, 'name at least one scope')
    .max(SCOPES.length)
    .transform((scopes) => [...new Set(scopes)].sort()),
  /** Seconds until the token ends by itself; it lasts until it is revoked when left out. */
  expires_in_secs: z.int().min(60).max(10 * YEAR_IN_SECONDS).optional(),
});

/** The body of `POST /api/tokens/list`. */
export const listTokensRequest = z.strictObject({});

/** The body of `POST /api/tokens/revoke`. */
export const revokeTokenRequest = z.strictObject({ name: tokenName });

/** What is wrong with a body, in one sentence that echoes none of its values. */
export function describeProblem(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'the request body has another shape';
  if (issue.code === 'unrecognized_keys') return `unknown field ${issue.keys.slice(0, 4).join(', ').slice(0, 120)}`;
  const at = issue.path.map(String).join('.');
  return at === '' ? issue.message : `${at}: ${issue.message}`;
}
