import type { Database } from 'better-sqlite3';
import { eventView, VIEW_COLUMNS, type EventView, type ViewRow } from './event-view.js';

/**
 * In which order events are paged: the newest or the oldest start first; as they were
 * written, or the last written first. Only in the order `inserted` a reader misses nothing
 * of what is written while it follows.
 */
export type EventOrder = 'newest' | 'oldest' | 'inserted' | 'latest';

/** The place of an event in the first two orders: start and row; in the others the row alone. */
export interface EventPlace {
  readonly startedAt: number;
  readonly row: number;
}

export interface EventsQuery {
  readonly sessionId: string | null;
  readonly tool: string | null;
  /** Only events that did not succeed. */
  readonly failed: boolean;
  readonly since: number | null;
  readonly until: number | null;
  readonly order: EventOrder;
  /** The place after which the page begins. */
  readonly after: EventPlace | null;
  readonly limit: number;
}

export interface EventsPage {
  readonly events: readonly EventView[];
  /** The place of the page's last event; null for an empty page. */
  readonly last: EventPlace | null;
  /** The row written last, from which a reader may follow on in the order `inserted`. */
  readonly newestRow: number;
}

const ORDERS: Readonly<Record<EventOrder, { readonly by: string; readonly after: string }>> = {
  newest: { by: 'started_at DESC, rowid DESC', after: '(started_at, rowid) < (@startedAt, @row)' },
  oldest: { by: 'started_at, rowid', after: '(started_at, rowid) > (@startedAt, @row)' },
  inserted: { by: 'rowid', after: 'rowid > @row' },
  latest: { by: 'rowid DESC', after: 'rowid < @row' },
};

/** A page of events. */
export function listEvents(database: Database, query: EventsQuery): EventsPage {
  const { rows, newestRow } = selectEvents(database, query);
  const last = rows.at(-1);
  return {
    events: rows.map(({ row: _row, ...columns }) => eventView(columns)),
    last: last === undefined ? null : placeOfRow(last),
    newestRow,
  };
}

/** The same page as JSON texts, so that they cross to the daemon's thread and to the wire as they are. */
export interface EventLines {
  readonly lines: readonly { readonly place: EventPlace; readonly json: string }[];
  readonly newestRow: number;
}

export function listEventLines(database: Database, query: EventsQuery): EventLines {
  const { rows, newestRow } = selectEvents(database, query);
  return {
    lines: rows.map((row) => {
      const { row: _row, ...columns } = row;
      return { place: placeOfRow(row), json: JSON.stringify(eventView(columns)) };
    }),
    newestRow,
  };
}

type PlacedRow = ViewRow & { readonly row: number };

function placeOfRow({ started_at, row }: PlacedRow): EventPlace {
  return { startedAt: started_at, row };
}

function selectEvents(database: Database, query: EventsQuery): { readonly rows: readonly PlacedRow[]; readonly newestRow: number } {
  const newestRow = database.prepare<[], number | null>('SELECT max(rowid) FROM action_events').pluck().get() ?? 0;
  const order = ORDERS[query.order];
  const conditions = [
    ...(query.sessionId === null ? [] : ['session_id = @session']),
    ...(query.tool === null ? [] : ['operation = @tool']),
    ...(query.failed ? [`status <> 'success'`] : []),
    ...(query.since === null ? [] : ['started_at >= @since']),
    ...(query.until === null ? [] : ['started_at < @until']),
    ...(query.after === null ? [] : [order.after]),
  ];
  const rows = database
    .prepare<[Record<string, unknown>], PlacedRow>(
      `SELECT rowid AS row, ${VIEW_COLUMNS} FROM action_events
       ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
       ORDER BY ${order.by} LIMIT @limit`,
    )
    .all({
      session: query.sessionId,
      tool: query.tool,
      since: query.since,
      until: query.until,
      startedAt: query.after?.startedAt,
      row: followedRow(query, newestRow),
      limit: query.limit,
    });
  return { rows, newestRow };
}

/** Whoever follows a store that was emptied or replaced behind its place begins anew. */
function followedRow({ order, after }: EventsQuery, newestRow: number): number | undefined {
  return order === 'inserted' && after !== null && after.row > newestRow ? 0 : after?.row;
}
