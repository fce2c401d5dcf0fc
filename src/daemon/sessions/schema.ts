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
 * - `session_counters`: `greatest_expiry_ordinal`, and `import_in_progress` while the rows are
 *   those of an import that nobody has published yet.
 *
 * Since version 2:
 *
 * - `session_events.digest` chains the events of a Session; `sessions.chain_head` is the digest
 *   of its newest event, `chain_anchor` that before the first retained one. Rows of version 1
 *   have none: the step adds columns and reads no row, so that a big ledger starts as fast as
 *   before, and each Session gets its chain at its next append or in the background.
 * - `session_messages`: one row a message, clustered by Session in the order of posting.
 * - `session_boards`: what a board says beside its messages; no row means that nothing
 *   happened on it. `session_todos`, `session_deliveries`: its maps, a row an entry.
 * - `session_validation_jobs`: which terminal Jobs have their event already.
 * - `ledger_anchors`: the histories that anchors stand for.
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
    `
    ALTER TABLE sessions ADD COLUMN chain_origin TEXT CHECK (chain_origin IN ('created', 'adopted', 'imported'));
    ALTER TABLE sessions ADD COLUMN chain_document_digest TEXT;
    ALTER TABLE sessions ADD COLUMN chain_start INTEGER;
    ALTER TABLE sessions ADD COLUMN chain_anchor BLOB;
    ALTER TABLE sessions ADD COLUMN chain_head BLOB;
    CREATE INDEX sessions_without_chain ON sessions (session_number) WHERE chain_head IS NULL;
    ALTER TABLE session_events ADD COLUMN digest BLOB;

    CREATE TABLE session_messages (
      session_number INTEGER NOT NULL REFERENCES sessions (session_number) ON DELETE CASCADE,
      message_number INTEGER NOT NULL,
      message_id TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('open', 'resolved')),
      priority TEXT NOT NULL,
      message TEXT NOT NULL,
      tags TEXT NOT NULL,
      reply_to TEXT,
      resolved_at INTEGER,
      resolution TEXT,
      requires_ack INTEGER NOT NULL CHECK (requires_ack IN (0, 1)),
      first_ack_observed_at INTEGER,
      author_session_id TEXT,
      resolved_by_message_id TEXT,
      completion_id TEXT,
      closure_kind TEXT,
      superseded_by_message_id TEXT,
      supersedes_message_id TEXT,
      last_revision INTEGER NOT NULL,
      PRIMARY KEY (session_number, message_number),
      UNIQUE (session_number, message_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX session_messages_of_attention ON session_messages (session_number, created_at, message_id)
      WHERE status = 'open' AND requires_ack = 1;
    CREATE INDEX session_messages_by_revision ON session_messages (session_number, last_revision);
    CREATE INDEX session_messages_by_thread ON session_messages (session_number, reply_to, message_number)
      WHERE reply_to IS NOT NULL;

    CREATE TABLE session_boards (
      session_number INTEGER PRIMARY KEY REFERENCES sessions (session_number) ON DELETE CASCADE,
      observation_revision INTEGER NOT NULL,
      observation_floor INTEGER NOT NULL,
      assignment_history_tracking_complete INTEGER NOT NULL CHECK (assignment_history_tracking_complete IN (0, 1)),
      completion_fence_tracking_complete INTEGER NOT NULL CHECK (completion_fence_tracking_complete IN (0, 1))
    ) STRICT;

    CREATE TABLE session_todos (
      session_number INTEGER NOT NULL REFERENCES sessions (session_number) ON DELETE CASCADE,
      message_id TEXT NOT NULL,
      assignment_history_floor INTEGER,
      completion_fence TEXT,
      PRIMARY KEY (session_number, message_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE session_deliveries (
      session_number INTEGER NOT NULL REFERENCES sessions (session_number) ON DELETE CASCADE,
      delivery TEXT NOT NULL,
      payload_fingerprint TEXT NOT NULL,
      message_id TEXT NOT NULL,
      PRIMARY KEY (session_number, delivery)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX session_deliveries_of_message ON session_deliveries (session_number, message_id);

    CREATE TABLE session_validation_jobs (
      session_number INTEGER NOT NULL REFERENCES sessions (session_number) ON DELETE CASCADE,
      marker_number INTEGER NOT NULL,
      job_id TEXT NOT NULL,
      PRIMARY KEY (session_number, marker_number),
      UNIQUE (session_number, job_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE ledger_anchors (
      anchor_number INTEGER PRIMARY KEY,
      digest TEXT NOT NULL UNIQUE,
      made_at INTEGER NOT NULL,
      sessions INTEGER NOT NULL,
      entries TEXT NOT NULL
    ) STRICT;
    `,
  ],
};
