import type { Database } from 'better-sqlite3';
import type { AnchorList } from './ledger-anchor.js';

/** How many anchors can be verified: older ones prove what newer ones do, and less of it is still retained. */
const ANCHORS_KEPT = 16;

/** The lists that anchors stand for. Writes run inside a commit. */
export class AnchorStore {
  private readonly insertOne;
  private readonly deleteOld;
  private readonly selectOne;
  private readonly countAll;

  constructor(database: Database) {
    this.insertOne = database.prepare(
      'INSERT OR IGNORE INTO ledger_anchors (digest, made_at, sessions, entries) VALUES (?, ?, ?, ?)',
    );
    this.deleteOld = database.prepare(
      `DELETE FROM ledger_anchors WHERE anchor_number NOT IN
         (SELECT anchor_number FROM ledger_anchors ORDER BY anchor_number DESC LIMIT ${ANCHORS_KEPT})`,
    );
    this.selectOne = database.prepare<[string], AnchorList>(
      'SELECT made_at AS madeAt, sessions, entries FROM ledger_anchors WHERE digest = ?',
    );
    this.countAll = database.prepare<[], number>('SELECT count(*) FROM ledger_anchors').pluck();
  }

  add(digest: string, { madeAt, sessions, entries }: AnchorList): void {
    this.insertOne.run(digest, madeAt, sessions, entries);
    this.deleteOld.run();
  }

  find(digest: string): AnchorList | null {
    return this.selectOne.get(digest) ?? null;
  }

  count(): number {
    return this.countAll.get() ?? 0;
  }
}
