import type { z } from 'zod';
import { issueMessage } from '../kernel/issue-message.js';
import type { Principal } from '../kernel/principal.js';
import type { OperatorAnswer } from '../operator-route.js';
import { auditError } from './audit-error.js';
import { describeProblem } from './requests.js';

/** A request that may be answered, or its refusal. */
export type Admitted<Request> = { readonly request: Request } | { readonly refusal: OperatorAnswer };

/** Checks who asks and what: the audit is read by known callers alone, in exactly the form that a route takes. */
export function admitRequest<Request extends z.ZodType>(
  schema: Request,
  body: unknown,
  principal: Principal,
): Admitted<z.output<Request>> {
  if (principal.credential === 'open') {
    return { refusal: auditError(401, 'unauthorized', 'the audit is not for anonymous callers') };
  }
  const parsed = schema.safeParse(body ?? {}, { error: issueMessage });
  if (!parsed.success) return { refusal: auditError(400, 'invalid_audit_request', describeProblem(parsed.error)) };
  return { request: parsed.data };
}
