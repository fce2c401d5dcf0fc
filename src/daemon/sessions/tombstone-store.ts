import type { Database } from 'better-sqlite3';
import type { AuthorityFingerprint, IncarnationFingerprint, SessionId } from '../../protocol/ids.js';
import { MAX_EXPIRY_ORDINAL, nextOrdinal, type Tombstone } from './tombstone.js';

interface TombstoneRow {
  readonly session_id: SessionId;
  readonly owner_authority_fingerprint: AuthorityFingerprint;
  readonly incarnation_fingerprint: IncarnationFingerprint;
  readonly expiry_ordinal: number;
}

const GREATEST_ORDINAL = 'greatest_expiry_ordinal';

/** The rows of tombstones. Writes run inside a commit. */
export class TombstoneStore {
  private readonly selectOne;
  private readonly selectAll;
  private readonly countRows;
  private readonly insertRow;
  private readonly renumberRow;
  private readonly deleteRow;
  private readonly selectLowest;
  private readonly selectGreatest;
  private readonly writeGreatest;

  constructor(database: Database) {
    this.selectOne = database.prepare<[string], TombstoneRow>('SELECT * FROM session_tombstones WHERE session_id = ?');
    this.selectAll = database.prepare<[], TombstoneRow>('SELECT * FROM session_tombstones ORDER BY expiry_ordinal, session_id');
    this.countRows = database.prepare<[], number>('SELECT count(*) FROM session_tombstones').pluck();
    this.insertRow = database.prepare(
      `INSERT INTO session_tombstones (session_id, owner_authority_fingerprint, incarnation_fingerprint, expiry_ordinal)
       VALUES (?, ?, ?, ?)`,
    );
    this.renumberRow = database.prepare('UPDATE session_tombstones SET expiry_ordinal = ? WHERE session_id = ?');
    this.deleteRow = database.prepare('DELETE FROM session_tombstones WHERE session_id = ?');
    this.selectLowest = database.prepare<[number], TombstoneRow>(
      'SELECT * FROM session_tombstones ORDER BY expiry_ordinal, session_id LIMIT ?',
    );
    this.selectGreatest = database
      .prepare<[string], number>('SELECT value FROM session_counters WHERE name = ?')
      .pluck();
    this.writeGreatest = database.prepare(
      'INSERT INTO session_counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    );
  }

  find(id: SessionId): Tombstone | null {
    const row = this.selectOne.get(id);
    return row === undefined ? null : tombstoneOfRow(row);
  }

  /** By ordinal. */
  all(): Tombstone[] {
    return this.selectAll.all().map(tombstoneOfRow);
  }

  count(): number {
    return this.countRows.get() ?? 0;
  }

  /** Adds a tombstone above all others, renumbering them first when no ordinal is left. */
  add(tombstone: Omit<Tombstone, 'expiryOrdinal'>): void {
    const allocation = nextOrdinal(this.greatest(), this.count());
    if ('renumberFirst' in allocation) {
      this.all().forEach((row, index) => this.renumberRow.run(index + 1, row.sessionId));
    }
    this.insertRow.run(tombstone.sessionId, tombstone.ownerFingerprint, tombstone.incarnation, allocation.ordinal);
    this.rememberGreatest(allocation.ordinal);
  }

  /** Adds a tombstone of an import, with the ordinal that it had. */
  insert({ sessionId, ownerFingerprint, incarnation, expiryOrdinal }: Tombstone): void {
    this.insertRow.run(sessionId, ownerFingerprint, incarnation, expiryOrdinal);
  }

  /** The greatest ordinal ever seen; it outlives its row. */
  greatest(): number {
    return Math.min(MAX_EXPIRY_ORDINAL, this.selectGreatest.get(GREATEST_ORDINAL) ?? 0);
  }

  rememberGreatest(ordinal: number): void {
    this.writeGreatest.run(GREATEST_ORDINAL, ordinal);
  }

  /** Removes the lowest ordinals until at most `limit` remain. */
  trim(limit: number): Tombstone[] {
    const excess = this.count() - limit;
    if (excess <= 0) return [];
    const trimmed = this.selectLowest.all(excess).map(tombstoneOfRow);
    for (const tombstone of trimmed) this.remove(tombstone.sessionId);
    return trimmed;
  }

  remove(id: SessionId): void {
    this.deleteRow.run(id);
  }
}

function tombstoneOfRow(row: TombstoneRow): Tombstone {
  return {
    sessionId: row.session_id,
    ownerFingerprint: row.owner_authority_fingerprint,
    incarnation: row.incarnation_fingerprint,
    expiryOrdinal: row.expiry_ordinal,
  };
}
