import type { Database } from 'better-sqlite3';
import { listEventLines, listEvents } from './list-events.js';
import { listSessions } from './list-sessions.js';
import { readSession } from './read-session.js';
import { readStats } from './read-stats.js';
import { toolStatistics } from './tool-statistics.js';
import { windowEvents } from './window-events.js';

/** All that can be asked of the store, by name. Each is a pure reader of one connection. */
export const READS = {
  sessions: listSessions,
  session: readSession,
  stats: readStats,
  events: listEvents,
  eventLines: listEventLines,
  tools: toolStatistics,
  windowEvents,
} as const;

export type ReadName = keyof typeof READS;
export type ReadQuery<Name extends ReadName> = Parameters<(typeof READS)[Name]>[1];
export type ReadResult<Name extends ReadName> = ReturnType<(typeof READS)[Name]>;

/** Runs a read on one snapshot: whatever is written meanwhile, its parts belong together. */
export function readInSnapshot<Name extends ReadName>(
  database: Database,
  name: Name,
  query: ReadQuery<Name>,
): ReadResult<Name> {
  const read = READS[name] as (database: Database, query: ReadQuery<Name>) => ReadResult<Name>;
  return database.transaction(() => read(database, query)).deferred();
}
