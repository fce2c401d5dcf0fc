import { randomBytes } from 'node:crypto';
import SqliteDatabase from 'better-sqlite3';

type Row = Record<string, unknown>;

/**
 * Fills a stopped daemon's ledger with `sessions` active Sessions of `eventsEach` events.
 * Heads and events are copies of what the daemon wrote itself for the one Session that it
 * has; ids and times differ.
 */
export function seedSessions(path: string, sessions: number, eventsEach: number): void {
  const database = new SqliteDatabase(path);
  try {
    const head = database.prepare<[], Row>('SELECT * FROM sessions LIMIT 1').get();
    const event = database.prepare<[], Row>('SELECT * FROM session_events ORDER BY sequence DESC LIMIT 1').get();
    if (head === undefined || event === undefined) throw new Error('the daemon wrote no Session to copy');
    const insertHead = database.prepare(
      `INSERT INTO sessions (${Object.keys(head).join(', ')}) VALUES (${named(head, {})})`,
    );
    const insertEvents = database.prepare(
      `WITH RECURSIVE counter (place) AS (SELECT 0 UNION ALL SELECT place + 1 FROM counter WHERE place < @count - 1)
       INSERT INTO session_events (${Object.keys(event).join(', ')})
       SELECT ${named(event, { sequence: 'place' })} FROM counter`,
    );
    database.transaction(() => {
      const first = Number(head['session_number']) + 1;
      for (let number = first; number < first + sessions; number += 1) {
        insertHead.run({
          ...head,
          session_number: number,
          session_id: `wc_sess_${randomBytes(12).toString('base64url')}`,
          updated_at: Number(head['updated_at']) + number,
          events_observed: eventsEach,
          first_retained_sequence: 0,
        });
        insertEvents.run({ ...event, session_number: number, count: eventsEach });
      }
    })();
    database.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

/** The row's columns as named parameters, but for those that an expression stands for. */
function named(row: Row, expressions: Readonly<Record<string, string>>): string {
  return Object.keys(row)
    .map((column) => expressions[column] ?? `@${column}`)
    .join(', ');
}
