import type { IncomingMessage } from 'node:http';
import { HEADERS } from '../../protocol/api.js';
import type { AuditAffinity } from '../kernel/ports.js';

/** What of a request says which audit session it belongs to (spec 05 §2); the audit judges the values. */
export function affinityOf(request: IncomingMessage, query: URLSearchParams): AuditAffinity {
  return {
    header: oneHeader(request, HEADERS.auditSession),
    headerAlias: oneHeader(request, HEADERS.auditSessionAlias),
    query: query.get('action_session_id'),
  };
}

export function oneHeader(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
}
