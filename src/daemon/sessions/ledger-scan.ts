import type { Database } from 'better-sqlite3';
import type { SessionId } from '../../protocol/ids.js';
import type { ChainedRow } from './chain-walk.js';
import type { LedgerStats } from './ledger-rows.js';
import type { SessionHead } from './session-head.js';

/** Tables whose rows belong to a Session by its number. */
export const TABLES_OF_A_SESSION = [
  'session_events',
  'session_messages',
  'session_boards',
  'session_todos',
  'session_deliveries',
  'session_validation_jobs',
] as const;
export type TableOfASession = (typeof TABLES_OF_A_SESSION)[number];

/** A Session as far as a walk over all of them goes. */
export interface ScannedSession {
  readonly number: number;
  /** As the row has it, which may be no id. */
  readonly sessionId: SessionId;
}

/** An event's row as SQLite gives it. */
export type ScannedEvent = { readonly [Name in keyof ChainedRow]: unknown };

/** Reads the whole ledger by short statements, each from where the one before ended. */
export class LedgerScan {
  private readonly selectSessions;
  private readonly selectEvents;
  private readonly selectOwnerNumber: ReadonlyMap<TableOfASession, { get: (after: number) => number | null | undefined }>;
  private readonly selectExists;
  private readonly selectTotals;
  private readonly countRefs;
  private readonly selectPages;

  constructor(database: Database) {
    this.selectSessions = database.prepare<[number, number], ScannedSession>(
      `SELECT session_number AS number, session_id AS sessionId
       FROM sessions WHERE session_number > ? ORDER BY session_number LIMIT ?`,
    );
    this.selectEvents = database.prepare<[number, unknown, number], ScannedEvent>(
      `SELECT sequence, kind, body, digest FROM session_events
       WHERE session_number = ? AND sequence > ? ORDER BY sequence LIMIT ?`,
    );
    this.selectOwnerNumber = new Map(
      TABLES_OF_A_SESSION.map((table) => [
        table,
        database
          .prepare<[number], number | null>(`SELECT min(session_number) FROM ${table} WHERE session_number > ?`)
          .pluck(),
      ]),
    );
    this.selectExists = database.prepare<[number], number>('SELECT 1 FROM sessions WHERE session_number = ?').pluck();
    this.selectTotals = database.prepare<[], Omit<LedgerStats, 'messages' | 'tombstones' | 'sessionRefs' | 'anchors' | 'databaseBytes'>>(
      `SELECT count(*) AS sessions, count(*) FILTER (WHERE lifecycle = 'active') AS activeSessions,
         count(*) FILTER (WHERE lifecycle = 'closed') AS closedSessions,
         coalesce(sum(events_observed - first_retained_sequence), 0) AS events,
         coalesce(sum(events_observed), 0) AS eventsObserved,
         min(created_at) AS oldestCreatedAt, max(updated_at) AS newestUpdatedAt
       FROM sessions`,
    );
    this.countRefs = database.prepare<[], number>('SELECT count(*) FROM session_refs').pluck();
    this.selectPages = database
      .prepare<[], number>('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size')
      .pluck();
  }

  sessions(after: number, limit: number): ScannedSession[] {
    return this.selectSessions.all(after, limit);
  }

  /** Rows behind a sequence, whatever the head counts. */
  events(head: Pick<SessionHead, 'number'>, after: unknown, limit: number): ScannedEvent[] {
    return this.selectEvents.all(head.number, after, limit);
  }

  /** The next owner that a table knows of behind `after`, or null. */
  nextOwner(table: TableOfASession, after: number): number | null {
    return this.selectOwnerNumber.get(table)?.get(after) ?? null;
  }

  exists(number: number): boolean {
    return this.selectExists.get(number) !== undefined;
  }

  totals(): Pick<
    LedgerStats,
    'sessions' | 'activeSessions' | 'closedSessions' | 'events' | 'eventsObserved' | 'oldestCreatedAt' | 'newestUpdatedAt'
  > {
    const totals = this.selectTotals.get();
    if (totals === undefined) throw new Error('an aggregate gave no row');
    return totals;
  }

  sessionRefs(): number {
    return this.countRefs.get() ?? 0;
  }

  databaseBytes(): number {
    return this.selectPages.get() ?? 0;
  }
}
