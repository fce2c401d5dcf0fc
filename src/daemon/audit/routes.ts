import type { z } from 'zod';
import type { OperatorAnswer, OperatorRoute } from '../operator-route.js';
import { issueMessage } from '../kernel/issue-message.js';
import type { Principal } from '../kernel/principal.js';
import { AuditStoreUnavailableError } from './audit-file.js';
import { eventCursor, placeOf } from './event-cursor.js';
import type { EventPlace } from './reads/list-events.js';
import type { ReadName, ReadQuery, ReadResult } from './reads/index.js';
import {
  closeRequest,
  describeProblem,
  queryRequest,
  sessionRequest,
  sessionsRequest,
  statsRequest,
  type QueryRequest,
} from './requests.js';
import type { ClosedSession } from './store.js';
import { AuditReadError } from './worker-client.js';

/** What the routes need of the domain. */
export interface RouteDeps {
  /** Reads after every earlier row was written. */
  readonly read: <Name extends ReadName>(name: Name, query: ReadQuery<Name>) => Promise<ReadResult<Name>>;
  readonly closeSession: (sessionId: string, note: string | null) => Promise<ClosedSession | null>;
}

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

const MALFORMED_BODY = auditError(400, 'invalid_audit_request', 'the body is not a JSON object');

const unknownSession = (): OperatorAnswer => auditError(404, 'unknown_action_session', 'there is no such audit session');

/** The three read routes, and the two that `wc audit` needs beyond them. */
export function auditRoutes({ read, closeSession }: RouteDeps): readonly OperatorRoute[] {
  return [
    route('/api/audit/sessions', sessionsRequest, async ({ limit, status }) => {
      const sessions = await read('sessions', { status: status ?? null, since: null, limit });
      return { status: 200, body: { sessions } };
    }),
    route('/api/audit/session', sessionRequest, async ({ session_id, events_limit }) => {
      const found = await read('session', { sessionId: session_id, eventsLimit: events_limit });
      return found === null ? unknownSession() : { status: 200, body: { ...found } };
    }),
    route('/api/audit/stats', statsRequest, async ({ session_id, limit }) => {
      const stats = await read('stats', { sessionId: session_id ?? null, limit });
      return stats === null ? unknownSession() : { status: 200, body: stats };
    }),
    route('/api/audit/query', queryRequest, async (request) => ({ status: 200, body: await answerQuery(read, request) })),
    route('/api/audit/close', closeRequest, async ({ session_id, note }, principal) => {
      if (!mayClose(principal)) {
        return auditError(403, 'operator_only', 'only the owner of this daemon may close an audit session');
      }
      const closed = await closeSession(session_id, note ?? null);
      return closed === null ? unknownSession() : { status: 200, body: { ...closed } };
    }),
  ];
}

async function answerQuery(read: RouteDeps['read'], request: QueryRequest): Promise<Readonly<Record<string, unknown>>> {
  switch (request.kind) {
    case 'sessions': {
      const { status, since, limit } = request;
      return { sessions: await read('sessions', { status: status ?? null, since: since ?? null, limit }) };
    }
    case 'tools':
      return { ...(await read('tools', { ...filterOf(request) })) };
    case 'events': {
      const { failed, order, limit } = request;
      const after = request.cursor === undefined ? null : placeOf(request.cursor);
      const page = await read('events', { ...filterOf(request), failed, order, after, limit });
      return {
        events: page.events,
        next_cursor: nextCursor(page.last, after, order, page.events.length < limit),
        follow_cursor: String(page.newestRow),
      };
    }
  }
}

/** Where the next page begins; null after the last page of an order that has one. */
function nextCursor(last: EventPlace | null, after: EventPlace | null, order: string, ended: boolean): string | null {
  if (order !== 'inserted') return ended || last === null ? null : eventCursor(last);
  const place = last ?? after;
  return String(place?.row ?? 0);
}

function filterOf(request: Extract<QueryRequest, { kind: 'events' | 'tools' }>): ReadQuery<'tools'> {
  const { session_id, tool, since, until } = request;
  return { sessionId: session_id ?? null, tool: tool ?? null, since: since ?? null, until: until ?? null };
}

function route<Request extends z.ZodType>(
  path: string,
  schema: Request,
  answer: (request: z.output<Request>, principal: Principal) => Promise<OperatorAnswer>,
): OperatorRoute {
  return {
    method: 'POST',
    path,
    malformedBody: MALFORMED_BODY,
    handle: async (body, principal) => {
      if (principal.credential === 'open') return auditError(401, 'unauthorized', 'the audit is not for anonymous callers');
      const parsed = schema.safeParse(body ?? {}, { error: issueMessage });
      if (!parsed.success) return auditError(400, 'invalid_audit_request', describeProblem(parsed.error));
      try {
        return await answer(parsed.data, principal);
      } catch (error) {
        return failedAnswer(error);
      }
    },
  };
}

/** A read that failed has no partial answer. */
function failedAnswer(error: unknown): OperatorAnswer {
  const message = error instanceof Error ? error.message : String(error);
  const unavailable =
    error instanceof AuditStoreUnavailableError || (error instanceof AuditReadError && error.kind === 'unavailable');
  return unavailable
    ? auditError(503, 'audit_store_unavailable', `the audit store cannot be used: ${message}`)
    : auditError(500, 'audit_query_failed', `the audit could not be read: ${message}`);
}

function mayClose(principal: Principal): boolean {
  return principal.credential === 'local_owner' || principal.credential === 'bootstrap' || principal.scopes.has('admin');
}
