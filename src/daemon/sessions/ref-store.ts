import type { Database } from 'better-sqlite3';
import type { IncarnationFingerprint, SessionId } from '../../protocol/ids.js';

/** What a `~sN` is pinned to. */
export interface PinnedIncarnation {
  readonly sessionId: SessionId;
  readonly incarnation: IncarnationFingerprint;
}

interface RefRow {
  readonly session_id: SessionId;
  readonly incarnation_fingerprint: IncarnationFingerprint;
}

/** The rows of `~sN`. Writes run inside a commit. */
export class RefStore {
  private readonly selectNumber;
  private readonly selectPinned;
  private readonly countUp;
  private readonly insertRow;
  private readonly deleteRows;

  constructor(database: Database) {
    this.selectNumber = database
      .prepare<[string, string, string], number>(
        'SELECT ref_number FROM session_refs WHERE session_id = ? AND incarnation_fingerprint = ? AND principal_key = ?',
      )
      .pluck();
    this.selectPinned = database.prepare<[string, number], RefRow>(
      'SELECT session_id, incarnation_fingerprint FROM session_refs WHERE principal_key = ? AND ref_number = ?',
    );
    this.countUp = database
      .prepare<[string], number>(
        `INSERT INTO session_ref_counters (principal_key, last_number) VALUES (?, 1)
         ON CONFLICT (principal_key) DO UPDATE SET last_number = last_number + 1 RETURNING last_number`,
      )
      .pluck();
    this.insertRow = database.prepare(
      'INSERT INTO session_refs (principal_key, ref_number, session_id, incarnation_fingerprint) VALUES (?, ?, ?, ?)',
    );
    this.deleteRows = database.prepare('DELETE FROM session_refs WHERE session_id = ? AND incarnation_fingerprint = ?');
  }

  /** The number that the principal has for the incarnation, or null when it has none yet. */
  find(principalKey: string, pinned: PinnedIncarnation): number | null {
    return this.selectNumber.get(pinned.sessionId, pinned.incarnation, principalKey) ?? null;
  }

  /** Issues the principal's next number; the counter never goes back, so none comes twice. */
  mint(principalKey: string, pinned: PinnedIncarnation): number {
    const number = this.countUp.get(principalKey);
    if (number === undefined) throw new Error('the counter of session refs gave no number');
    this.insertRow.run(principalKey, number, pinned.sessionId, pinned.incarnation);
    return number;
  }

  pinned(principalKey: string, number: number): PinnedIncarnation | null {
    const row = this.selectPinned.get(principalKey, number);
    return row === undefined ? null : { sessionId: row.session_id, incarnation: row.incarnation_fingerprint };
  }

  /** Forgets an incarnation that nothing is retained of any more; its numbers stay used. */
  forget(pinned: PinnedIncarnation): void {
    this.deleteRows.run(pinned.sessionId, pinned.incarnation);
  }
}
