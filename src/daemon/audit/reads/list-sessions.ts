import type { Database } from 'better-sqlite3';
import { ACTION_SESSION_COLUMNS, LAST_USE, LAST_USED_FIRST, type ActionSessionRecord } from '../action-session.js';

export interface SessionsQuery {
  readonly status: 'open' | 'closed' | null;
  /** Last used at or after this, in Unix seconds. */
  readonly since: number | null;
  readonly limit: number;
}

/** Sessions, the last used first. */
export function listSessions(database: Database, { status, since, limit }: SessionsQuery): readonly ActionSessionRecord[] {
  return database
    .prepare<[{ status: string | null; since: number | null; limit: number }], ActionSessionRecord>(
      `SELECT ${ACTION_SESSION_COLUMNS} FROM action_sessions
       WHERE (@status IS NULL OR status = @status) AND (@since IS NULL OR ${LAST_USE} >= @since)
       ORDER BY ${LAST_USED_FIRST} LIMIT @limit`,
    )
    .all({ status, since, limit });
}
