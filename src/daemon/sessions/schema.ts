import type { DomainSchema } from '../storage/migrations.js';

/**
 * The tables of Workflow Sessions in `ledger.db`.
 *
 * - `sessions`: one head a Session; `session_number` stands in for the id in the rows
 *   below. `events_observed - first_retained_sequence` events are retained.
 * - `session_events`: one row an event, clustered by Session and absolute, zero-based
 *   sequence; `body` is the event as JSON without what the columns and its silence say.
 * - `session_tombstones`: what is left of removed history, in the order of `expiry_ordinal`.
 * - `session_refs`, `session_ref_counters`: `~sN` of a principal, pinned to one incarnation;
 *   the counter outlives the rows, so that no number is issued twice.
 * - `session_counters`: `next_expiry_ordinal`.
 */
export const sessionsSchema: DomainSchema = {
  domain: 'sessions',
  steps: [
    `
    CREATE TABLE sessions (
      session_number INTEGER PRIMARY KEY,
      session_id TEXT NOT NULL UNIQUE,
      owner_authority_fingerprint TEXT NOT NULL,
      project TEXT,
      title TEXT,
      mode TEXT NOT NULL CHECK (mode IN ('normal', 'read_only')),
      deny_write_tools INTEGER NOT NULL CHECK (deny_write_tools IN (0, 1)),
      deny_shell_tools INTEGER NOT NULL CHECK (deny_shell_tools IN (0, 1)),
      execution_context TEXT NOT NULL,
      lifecycle TEXT NOT NULL CHECK (lifecycle IN ('active', 'closed')),
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      events_observed INTEGER NOT NULL,
      first_retained_sequence INTEGER NOT NULL,
      git_baseline_tree TEXT,
      repository_edit_observed INTEGER NOT NULL CHECK (repository_edit_observed IN (0, 1)),
      CHECK (first_retained_sequence BETWEEN 0 AND events_observed)
    ) STRICT;
    CREATE INDEX sessions_of_project
      ON sessions (project, owner_authority_fingerprint, updated_at DESC, session_id, lifecycle);

    CREATE TABLE session_events (
      session_number INTEGER NOT NULL REFERENCES sessions (session_number) ON DELETE CASCADE,
      sequence INTEGER NOT NULL,
      kind TEXT NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (session_number, sequence)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE session_tombstones (
      session_id TEXT PRIMARY KEY,
      owner_authority_fingerprint TEXT NOT NULL,
      incarnation_fingerprint TEXT NOT NULL,
      expiry_ordinal INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX session_tombstones_by_ordinal ON session_tombstones (expiry_ordinal);

    CREATE TABLE session_refs (
      principal_key TEXT NOT NULL,
      ref_number INTEGER NOT NULL,
      session_id TEXT NOT NULL,
      incarnation_fingerprint TEXT NOT NULL,
      PRIMARY KEY (principal_key, ref_number),
      UNIQUE (session_id, incarnation_fingerprint, principal_key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE session_ref_counters (
      principal_key TEXT PRIMARY KEY,
      last_number INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE session_counters (
      name TEXT PRIMARY KEY,
      value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    `,
  ],
};
