import type { DomainSchema } from '../storage/migrations.js';

/**
 * Registered projects and the short refs to them. An unregistered project keeps its
 * row, so that its id is never handed to another folder unasked, and a ref keeps its
 * row for ever, so that its number is never given out again.
 */
export const projectsSchema: DomainSchema = {
  domain: 'projects',
  steps: [
    `CREATE TABLE projects (
       project_id TEXT PRIMARY KEY,
       client_id TEXT NOT NULL,
       short_id TEXT NOT NULL,
       name TEXT NOT NULL,
       description TEXT,
       path TEXT NOT NULL,
       root_fingerprint TEXT NOT NULL,
       allow_patch INTEGER NOT NULL,
       revision INTEGER NOT NULL,
       registered_at INTEGER NOT NULL,
       updated_at INTEGER NOT NULL,
       unregistered_at INTEGER
     ) STRICT, WITHOUT ROWID;
     CREATE UNIQUE INDEX projects_in_force_path ON projects (path) WHERE unregistered_at IS NULL;
     CREATE INDEX projects_short_id ON projects (short_id);
     CREATE INDEX projects_name ON projects (name);
     CREATE TABLE project_refs (
       principal_key TEXT NOT NULL,
       number INTEGER NOT NULL,
       project_id TEXT NOT NULL,
       root_fingerprint TEXT NOT NULL,
       PRIMARY KEY (principal_key, number),
       UNIQUE (principal_key, project_id, root_fingerprint)
     ) STRICT, WITHOUT ROWID;`,
    // The lineage of managed worktrees: written whole before anything is made, and kept as long as the worktree.
    `CREATE TABLE managed_worktrees (
       operation_id TEXT PRIMARY KEY,
       principal_key TEXT NOT NULL,
       source_project_id TEXT NOT NULL,
       source_path TEXT NOT NULL,
       source_fingerprint TEXT NOT NULL,
       base_ref TEXT NOT NULL,
       base_commit TEXT NOT NULL,
       worktree TEXT NOT NULL,
       project_id TEXT,
       state TEXT NOT NULL CHECK (state IN ('begun', 'in_use', 'abandoned')),
       begun_at INTEGER NOT NULL
     ) STRICT, WITHOUT ROWID;
     CREATE INDEX managed_worktrees_project ON managed_worktrees (project_id);
     CREATE INDEX managed_worktrees_source ON managed_worktrees (source_project_id, state);`,
  ],
};
