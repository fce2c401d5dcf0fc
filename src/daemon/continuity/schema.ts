import type { DomainSchema } from '../storage/migrations.js';

/**
 * Which instruction files a Session last saw, as paths and digests, so that the next
 * resume can say whether they changed. Their text enters no store.
 */
export const continuitySchema: DomainSchema = {
  domain: 'continuity',
  steps: [
    `CREATE TABLE observed_instructions (
       observation INTEGER PRIMARY KEY AUTOINCREMENT,
       session_id TEXT NOT NULL UNIQUE,
       sources TEXT NOT NULL
     ) STRICT;`,
  ],
};
