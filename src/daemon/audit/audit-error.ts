import type { OperatorAnswer } from '../operator-route.js';
import { AuditStoreUnavailableError } from './audit-file.js';
import { AuditReadError } from './worker-client.js';

type AuditErrorKind =
  | 'invalid_audit_request'
  | 'unauthorized'
  | 'operator_only'
  | 'unknown_action_session'
  | 'audit_store_unavailable'
  | 'audit_query_failed';

/** The error document of the audit's routes (spec 05 §4). */
export function auditError(status: number, error_kind: AuditErrorKind, error: string): OperatorAnswer {
  return { status, body: { status, error, error_kind } };
}

/** What a body that is no JSON object is answered. */
export const MALFORMED_BODY = auditError(400, 'invalid_audit_request', 'the body is not a JSON object');

export const unknownSession = (): OperatorAnswer =>
  auditError(404, 'unknown_action_session', 'there is no such audit session');

/** A read that failed has no partial answer. */
export function failedAnswer(error: unknown): OperatorAnswer {
  const message = error instanceof Error ? error.message : String(error);
  const unavailable =
    error instanceof AuditStoreUnavailableError || (error instanceof AuditReadError && error.kind === 'unavailable');
  return unavailable
    ? auditError(503, 'audit_store_unavailable', `the audit store cannot be used: ${message}`)
    : auditError(500, 'audit_query_failed', `the audit could not be read: ${message}`);
}
