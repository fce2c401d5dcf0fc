import type { Database } from 'better-sqlite3';
import { isScope, type Scope } from '../../protocol/scopes.js';

/** A named token as it is kept: never its secret. Times are Unix seconds. */
export interface StoredToken {
  readonly tokenId: number;
  readonly name: string;
  readonly sha256: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** A token before it has a row. */
export type NewToken = Omit<StoredToken, 'tokenId' | 'revokedAt'>;

interface Row {
  readonly token_id: number;
  readonly name: string;
  readonly token_sha256: string;
  readonly scopes: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

/** The SQL of named tokens. */
export class TokenStore {
  private readonly selectAll;
  private readonly insertRow;
  private readonly setRevoked;
  private readonly deleteEnded;

  constructor(database: Database) {
    this.selectAll = database.prepare<[], Row>('SELECT * FROM api_tokens ORDER BY token_id');
    this.insertRow = database.prepare(
      'INSERT INTO api_tokens (name, token_sha256, scopes, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
    );
    this.setRevoked = database.prepare(
      'UPDATE api_tokens SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL',
    );
    this.deleteEnded = database.prepare(
      `DELETE FROM api_tokens WHERE token_id IN (
         SELECT token_id FROM api_tokens WHERE revoked_at IS NOT NULL
         ORDER BY revoked_at DESC, token_id DESC LIMIT -1 OFFSET ?)`,
    );
  }

  all(): StoredToken[] {
    return this.selectAll.all().map((row) => ({
      tokenId: row.token_id,
      name: row.name,
      sha256: row.token_sha256,
      // A scope that this version does not know grants nothing.
      scopes: row.scopes.split(' ').filter(isScope),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
    }));
  }

  insert(token: NewToken): void {
    this.insertRow.run(token.name, token.sha256, token.scopes.join(' '), token.createdAt, token.expiresAt);
  }

  revoke(name: string, at: number): void {
    this.setRevoked.run(at, name);
  }

  /** Forgets the oldest revoked tokens beyond `kept`. */
  forgetEnded(kept: number): void {
    this.deleteEnded.run(kept);
  }
}
