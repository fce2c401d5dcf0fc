import type { StreamRoute } from '../operator-route.js';
import { admitRequest } from './admit-request.js';
import type { Arrivals } from './arrivals.js';
import { MALFORMED_BODY } from './audit-error.js';
import { streamEvents } from './event-stream.js';
import type { EventLines, EventPlace } from './reads/list-events.js';
import { tailRequest } from './requests.js';
import type { RouteDeps } from './routes.js';

/** Events of one read of the worker. */
const PAGE_EVENTS = 200;

export interface Follow {
  readonly read: RouteDeps['read'];
  readonly arrivals: Pick<Arrivals, 'seen' | 'after'>;
}

/**
 * `POST /api/audit/tail`: the last events that match, in the order that they were written,
 * and each further one as soon as it is written, until the reader leaves. Every line has the
 * cursor with which another request goes on after it, also the one after the first ones,
 * which has no event.
 */
export function tailRoute({ read, arrivals }: Follow): StreamRoute {
  return {
    method: 'POST',
    path: '/api/audit/tail',
    takes: 'json',
    malformedBody: MALFORMED_BODY,
    serve: async ({ body, principal, response }) => {
      const admitted = admitRequest(tailRequest, body, principal);
      if ('refusal' in admitted) return admitted.refusal;
      const { session_id, tool, failed, last, cursor } = admitted.request;
      const filter = { sessionId: session_id ?? null, tool: tool ?? null, since: null, until: null, failed };
      return streamEvents(response, {}, async (stream) => {
        let at = Number(cursor);
        if (cursor === undefined) {
          const newest = await read('eventLines', { ...filter, order: 'latest', after: null, limit: last });
          at = newest.newestRow;
          await stream.write([...newest.lines.map(tailLine).reverse(), `{"cursor":"${at}"}`]);
        }
        while (!stream.signal.aborted) {
          const { seen } = arrivals;
          const after: EventPlace = { startedAt: 0, row: at };
          const page: EventLines = await read('eventLines', { ...filter, order: 'inserted', after, limit: PAGE_EVENTS });
          await stream.write(page.lines.map(tailLine));
          // What did not match was seen all the same, unless the page was too short for all that did.
          at = page.lines.length === PAGE_EVENTS ? (page.lines.at(-1)?.place.row ?? at) : page.newestRow;
          if (page.lines.length === 0) await arrivals.after(seen, stream.signal);
        }
      });
    },
  };
}

function tailLine({ place, json }: EventLines['lines'][number]): string {
  return `{"cursor":"${place.row}","event":${json}}`;
}
