import type { DomainSchema } from '../storage/migrations.js';

/**
 * The tables of windows in `ledger.db`. A window is its digest alone, and everything is a
 * principal's own.
 *
 * - `window_activity`: when a window last did something in a project, for peers to be found.
 * - `window_links`: which Workflow Sessions a window was tied to, and how; never authority.
 * - `peer_discoveries`: which peers a window was told of, once a project.
 * - `window_messages`: what windows and the operator say to each other; no sender means the
 *   operator, no recipient a reply to one.
 */
export const windowsSchema: DomainSchema = {
  domain: 'windows',
  steps: [
    `
    CREATE TABLE window_activity (
      principal_key TEXT NOT NULL,
      project TEXT NOT NULL,
      window_key TEXT NOT NULL,
      source TEXT NOT NULL,
      last_meaningful_at_ms INTEGER NOT NULL,
      PRIMARY KEY (principal_key, project, window_key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX window_activity_recent ON window_activity (principal_key, last_meaningful_at_ms);

    CREATE TABLE window_links (
      principal_key TEXT NOT NULL,
      window_key TEXT NOT NULL,
      session_id TEXT NOT NULL,
      project TEXT NOT NULL,
      relation TEXT NOT NULL CHECK (relation IN ('recording', 'work_on_project')),
      linked_at_ms INTEGER NOT NULL,
      PRIMARY KEY (principal_key, window_key, session_id, project, relation)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX window_links_latest ON window_links (principal_key, window_key, linked_at_ms);

    CREATE TABLE peer_discoveries (
      discovery_number INTEGER PRIMARY KEY,
      principal_key TEXT NOT NULL,
      observer_window TEXT NOT NULL,
      peer_window TEXT NOT NULL,
      project TEXT NOT NULL,
      UNIQUE (principal_key, observer_window, peer_window, project)
    ) STRICT;

    CREATE TABLE window_messages (
      message_number INTEGER PRIMARY KEY,
      message_id TEXT NOT NULL UNIQUE,
      principal_key TEXT NOT NULL,
      sender_window TEXT,
      recipient_window TEXT,
      kind TEXT NOT NULL,
      priority TEXT NOT NULL,
      message TEXT NOT NULL,
      tags TEXT NOT NULL,
      requires_ack INTEGER NOT NULL CHECK (requires_ack IN (0, 1)),
      reply_to TEXT,
      created_at_ms INTEGER NOT NULL,
      delivery TEXT,
      payload_fingerprint TEXT,
      first_projected_at_ms INTEGER,
      last_projected_at_ms INTEGER,
      projection_count INTEGER NOT NULL DEFAULT 0,
      first_ack_observed_at_ms INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX window_messages_of_delivery ON window_messages (principal_key, delivery) WHERE delivery IS NOT NULL;
    CREATE INDEX window_messages_of_recipient ON window_messages (principal_key, recipient_window, message_number);
    `,
  ],
};
