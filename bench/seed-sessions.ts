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
    const columns = Object.keys(head);
    const insertHead = database.prepare(
      `INSERT INTO sessions (${columns.join(', ')}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
    );
    const insertEvents = database.prepare(`
      WITH RECURSIVE counter (sequence) AS (SELECT 0 UNION ALL SELECT sequence + 1 FROM counter WHERE sequence < ? - 1)
      INSERT INTO session_events (session_number, sequence, body)
      SELECT ?, sequence, ? FROM counter`);
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
        insertEvents.run(eventsEach, number, event['body']);
      }
    })();
    database.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}
