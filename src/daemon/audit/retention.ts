import type { Database } from 'better-sqlite3';

/** What is kept (spec 05 §9): the younger events, and at most so many. */
export interface RetentionBounds {
  /** Events that started before this are old, in Unix seconds. */
  readonly before: number;
  readonly maxRows: number;
}

/** Rows of one batch. */
const BATCH_ROWS = 1_000;
/**
 * Rows of one transaction. The daemon's own rows wait for the lock that it holds (its calls
 * do not), so that it is kept to some milliseconds: a row has a dozen index entries.
 */
const STEP_ROWS = 50;

export interface RetentionResult {
  readonly events: number;
  readonly sessions: number;
}

/**
 * Deletes what is past its bounds, the oldest first, in steps; between them `pause` lets
 * others write. Counters of sessions stay as they were. A closed session goes when it is
 * old and has no event left; an open one stays.
 */
export async function retain(
  database: Database,
  bounds: RetentionBounds,
  pause: () => Promise<void>,
): Promise<RetentionResult> {
  const deleteOldest = database.prepare<[number]>(
    'DELETE FROM action_events WHERE rowid IN (SELECT rowid FROM action_events ORDER BY started_at, rowid LIMIT ?)',
  );
  const countOld = database
    .prepare<[number, number], number>(
      'SELECT count(*) FROM (SELECT 1 FROM action_events WHERE started_at < ? LIMIT ?)',
    )
    .pluck();
  let excess = countEvents(database) - bounds.maxRows;
  let events = 0;
  for (;;) {
    const batch = Math.min(BATCH_ROWS, Math.max(excess, countOld.get(bounds.before, BATCH_ROWS) ?? 0));
    if (batch <= 0) break;
    for (let left = batch; left > 0; left -= STEP_ROWS) {
      events += deleteOldest.run(Math.min(left, STEP_ROWS)).changes;
      await pause();
    }
    excess -= batch;
  }
  return { events, sessions: deleteEmptySessions(database, bounds.before) };
}

function countEvents(database: Database): number {
  return database.prepare<[], number>('SELECT count(*) FROM action_events').pluck().get() ?? 0;
}

function deleteEmptySessions(database: Database, before: number): number {
  return database
    .prepare<[number]>(
      `DELETE FROM action_sessions WHERE status = 'closed' AND coalesce(last_event_at, closed_at, created_at) < ?
         AND NOT EXISTS (SELECT 1 FROM action_events WHERE action_events.session_id = action_sessions.session_id)`,
    )
    .run(before).changes;
}
