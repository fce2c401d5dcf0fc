import { randomUUID } from 'node:crypto';
import SqliteDatabase from 'better-sqlite3';

/** Events of one Action Audit Session. */
const EVENTS_PER_SESSION = 500;
/** The events spread evenly over this time, in seconds. */
const SPAN_SECS = 60 * 86_400;
const ACTIONS = ['read_files', 'search_project_texts', 'edit_project_files', 'run_process', 'list_jobs', 'list_projects'];

type Row = Record<string, unknown>;

/**
 * Fills a stopped daemon's audit store with `count` events in Sessions of their own. Each is
 * a copy of an event that the daemon wrote itself, so that no column is made up; ids, times,
 * durations and actions differ.
 */
export function seedAudit(path: string, count: number): void {
  const database = new SqliteDatabase(path);
  try {
    const session = database.prepare<[], Row>('SELECT * FROM action_sessions LIMIT 1').get();
    const event = database.prepare<[], Row>('SELECT * FROM action_events LIMIT 1').get();
    if (session === undefined || event === undefined) throw new Error('the daemon wrote no audit row to copy');
    const insertSession = insertLike(database, 'action_sessions', session);
    const insertEvent = insertLike(database, 'action_events', event);
    database.transaction(() => {
      const end = Number(event['started_at']);
      let sessionId = '';
      for (let index = 0; index < count; index += 1) {
        const at = end - Math.floor((SPAN_SECS * (count - index)) / count);
        if (index % EVENTS_PER_SESSION === 0) {
          sessionId = randomUUID();
          const totals = { total_actions: EVENTS_PER_SESSION, success_count: EVENTS_PER_SESSION, failed_count: 0 };
          insertSession({ ...session, ...totals, session_id: sessionId, created_at: at, updated_at: at, first_event_at: at, last_event_at: at });
        }
        insertEvent({
          ...event,
          event_id: randomUUID(),
          session_id: sessionId,
          started_at: at,
          ended_at: at,
          duration_ms: (index * 7919) % 5_000,
          action_name: ACTIONS[index % ACTIONS.length],
          operation: ACTIONS[index % ACTIONS.length],
        });
      }
    })();
    database.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

function insertLike(database: SqliteDatabase.Database, table: string, row: Row): (values: Row) => void {
  const columns = Object.keys(row);
  const statement = database.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
  );
  return (values) => {
    statement.run(values);
  };
}
