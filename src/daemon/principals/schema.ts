import type { DomainSchema } from '../storage/migrations.js';

/** Named tokens. A revoked row stays, so that a listing can say when it ended. */
export const principalsSchema: DomainSchema = {
  domain: 'principals',
  steps: [
    `CREATE TABLE api_tokens (
       token_id INTEGER PRIMARY KEY,
       name TEXT NOT NULL,
       token_sha256 TEXT NOT NULL UNIQUE,
       scopes TEXT NOT NULL,
       created_at INTEGER NOT NULL,
       expires_at INTEGER,
       revoked_at INTEGER
     ) STRICT;
     CREATE UNIQUE INDEX api_tokens_in_force ON api_tokens (name) WHERE revoked_at IS NULL;`,
  ],
};
