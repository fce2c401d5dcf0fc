import { AUDIT_EXPORT_TRAILER } from '../../protocol/audit.js';
import type { StreamRoute } from '../operator-route.js';
import { admitRequest } from './admit-request.js';
import { MALFORMED_BODY } from './audit-error.js';
import { streamEvents } from './event-stream.js';
import type { EventLines, EventPlace } from './reads/list-events.js';
import { exportRequest } from './requests.js';
import type { RouteDeps } from './routes.js';

/** Events of one read of the worker. */
const PAGE_EVENTS = 500;

/**
 * `POST /api/audit/export`: the views of every event that started in [since, until), the
 * oldest first, a line each. The trailer says how many there were, and that they are all.
 */
export function exportRoute(read: RouteDeps['read']): StreamRoute {
  return {
    method: 'POST',
    path: '/api/audit/export',
    takes: 'json',
    malformedBody: MALFORMED_BODY,
    serve: async ({ body, principal, response }) => {
      const admitted = admitRequest(exportRequest, body, principal);
      if ('refusal' in admitted) return admitted.refusal;
      const { session_id, tool, since, until, failed } = admitted.request;
      const filter = { sessionId: session_id ?? null, tool: tool ?? null, since: since ?? null, until: until ?? null, failed };
      return streamEvents(response, { trailer: AUDIT_EXPORT_TRAILER }, async (stream) => {
        let after: EventPlace | null = null;
        let events = 0;
        for (;;) {
          const { lines }: EventLines = await read('eventLines', { ...filter, order: 'oldest', after, limit: PAGE_EVENTS });
          await stream.write(lines.map(({ json }) => json));
          events += lines.length;
          after = lines.at(-1)?.place ?? null;
          if (lines.length < PAGE_EVENTS) break;
        }
        stream.end({ [AUDIT_EXPORT_TRAILER]: String(events) });
      });
    },
  };
}
