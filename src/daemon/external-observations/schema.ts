import type { DomainSchema } from '../storage/migrations.js';

/** Reports from outside, each under its own identity; a row is never changed and never evicted (spec 06 §12). */
export const externalObservationsSchema: DomainSchema = {
  domain: 'external_observations',
  steps: [
    `CREATE TABLE external_observations (
       session_id TEXT NOT NULL,
       adapter_id TEXT NOT NULL,
       event_id TEXT NOT NULL,
       project TEXT NOT NULL,
       observed_tool TEXT NOT NULL,
       exit_code INTEGER,
       recorded_at INTEGER NOT NULL,
       PRIMARY KEY (session_id, adapter_id, event_id)
     ) STRICT, WITHOUT ROWID;`,
  ],
};
