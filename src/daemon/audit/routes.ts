import type { z } from 'zod';
import type { OperatorAnswer, OperatorRoute, StreamRoute } from '../operator-route.js';
import type { Principal } from '../kernel/principal.js';
import { admitRequest } from './admit-request.js';
import { auditError, failedAnswer, MALFORMED_BODY, unknownSession } from './audit-error.js';
import { eventCursor, placeOf } from './event-cursor.js';
import { exportRoute } from './export-route.js';
import type { EventPlace } from './reads/list-events.js';
import type { ReadName, ReadQuery, ReadResult } from './reads/index.js';
import {
  closeRequest,
  queryRequest,
  sessionRequest,
  sessionsRequest,
  statsRequest,
  type QueryRequest,
} from './requests.js';
import type { ClosedSession } from './store.js';
import { tailRoute, type Follow } from './tail-route.js';

/** What the routes need of the domain. */
export interface RouteDeps {
  /** Reads after every earlier row was written. */
  readonly read: <Name extends ReadName>(name: Name, query: ReadQuery<Name>) => Promise<ReadResult<Name>>;
  readonly closeSession: (sessionId: string, note: string | null) => Promise<ClosedSession | null>;
  /** When rows were written. */
  readonly arrivals: Follow['arrivals'];
}

/** The three read routes, and those that `wc audit` needs beyond them. */
export function auditRoutes({ read, closeSession, arrivals }: RouteDeps): readonly (OperatorRoute | StreamRoute)[] {
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
    route('/api/audit/query', queryRequest, async (request) => {
      const body = await answerQuery(read, request);
      return body === null ? unknownSession() : { status: 200, body };
    }),
    route('/api/audit/close', closeRequest, async ({ session_id, note }, principal) => {
      if (!mayClose(principal)) {
        return auditError(403, 'operator_only', 'only the owner of this daemon may close an audit session');
      }
      const closed = await closeSession(session_id, note ?? null);
      return closed === null ? unknownSession() : { status: 200, body: { ...closed } };
    }),
    exportRoute(read),
    tailRoute({ read, arrivals }),
  ];
}

/** Null for statistics of a session that does not exist. */
async function answerQuery(read: RouteDeps['read'], request: QueryRequest): Promise<Readonly<Record<string, unknown>> | null> {
  switch (request.kind) {
    case 'sessions': {
      const { status, since, limit } = request;
      return { sessions: await read('sessions', { status: status ?? null, since: since ?? null, limit }) };
    }
    case 'tools': {
      const statistics = await read('tools', { ...filterOf(request), lastSessions: request.last_sessions ?? null });
      return statistics === null ? null : { ...statistics };
    }
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

function filterOf(request: Extract<QueryRequest, { kind: 'events' | 'tools' }>): Omit<ReadQuery<'tools'>, 'lastSessions'> {
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
      const admitted = admitRequest(schema, body, principal);
      if ('refusal' in admitted) return admitted.refusal;
      try {
        return await answer(admitted.request, principal);
      } catch (error) {
        return failedAnswer(error);
      }
    },
  };
}

function mayClose(principal: Principal): boolean {
  return principal.credential === 'local_owner' || principal.credential === 'bootstrap' || principal.scopes.has('admin');
}
