import type { Database } from 'better-sqlite3';
import { ACTION_SESSION_COLUMNS, type ActionSessionRecord } from '../action-session.js';
import { eventView, VIEW_COLUMNS, type EventView, type ViewRow } from './event-view.js';

export interface SessionQuery {
  readonly sessionId: string;
  readonly eventsLimit: number;
}

export interface SessionWithEvents {
  readonly session: ActionSessionRecord;
  readonly events: readonly EventView[];
}

/** One session with its newest events, or null when there is no such session. */
export function readSession(database: Database, { sessionId, eventsLimit }: SessionQuery): SessionWithEvents | null {
  const session = findSession(database, sessionId);
  if (session === null) return null;
  const rows = database
    .prepare<[string, number], ViewRow>(
      `SELECT ${VIEW_COLUMNS} FROM action_events WHERE session_id = ? ORDER BY started_at DESC, rowid DESC LIMIT ?`,
    )
    .all(sessionId, eventsLimit);
  return { session, events: rows.map(eventView) };
}

export function findSession(database: Database, sessionId: string): ActionSessionRecord | null {
  return (
    database
      .prepare<[string], ActionSessionRecord>(
        `SELECT ${ACTION_SESSION_COLUMNS} FROM action_sessions WHERE session_id = ?`,
      )
      .get(sessionId) ?? null
  );
}
