import type { Database } from 'better-sqlite3';
import type { ProjectId, RootFingerprint } from '../../protocol/ids.js';
import type { RegisteredProject } from './registered-project.js';

interface Row {
  readonly project_id: string;
  readonly client_id: string;
  readonly short_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly path: string;
  readonly root_fingerprint: string;
  readonly allow_patch: number;
  readonly revision: number;
  readonly registered_at: number;
  readonly updated_at: number;
  readonly unregistered_at: number | null;
}

/** The SQL of the project registry. It sees committed rows only. */
export class ProjectStore {
  private readonly byId;
  private readonly byPath;
  private readonly lastByPath;
  private readonly byWord;
  private readonly allRegistered;
  private readonly countRegistered;
  private readonly write;

  constructor(database: Database) {
    this.byId = database.prepare<[string], Row>('SELECT * FROM projects WHERE project_id = ?');
    this.byPath = database.prepare<[string], Row>(
      'SELECT * FROM projects WHERE path = ? AND unregistered_at IS NULL',
    );
    this.lastByPath = database.prepare<[string], Row>(
      `SELECT * FROM projects WHERE path = ? AND unregistered_at IS NOT NULL
       ORDER BY unregistered_at DESC, revision DESC LIMIT 1`,
    );
    this.byWord = database.prepare<[string, string], Row>(
      'SELECT * FROM projects WHERE (short_id = ? OR name = ?) AND unregistered_at IS NULL ORDER BY project_id LIMIT 9',
    );
    this.allRegistered = database.prepare<[], Row>(
      'SELECT * FROM projects WHERE unregistered_at IS NULL ORDER BY project_id',
    );
    this.countRegistered = database
      .prepare<[], number>('SELECT count(*) FROM projects WHERE unregistered_at IS NULL')
      .pluck();
    this.write = database.prepare(
      `INSERT INTO projects (project_id, client_id, short_id, name, description, path, root_fingerprint,
         allow_patch, revision, registered_at, updated_at, unregistered_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (project_id) DO UPDATE SET name = excluded.name, description = excluded.description,
         path = excluded.path, root_fingerprint = excluded.root_fingerprint, allow_patch = excluded.allow_patch,
         revision = excluded.revision, registered_at = excluded.registered_at, updated_at = excluded.updated_at,
         unregistered_at = excluded.unregistered_at`,
    );
  }

  /** The project of an id, unregistered ones included. */
  find(projectId: ProjectId): RegisteredProject | null {
    return fromRow(this.byId.get(projectId));
  }

  /** The registered project whose root is exactly `path`. */
  at(path: string): RegisteredProject | null {
    return fromRow(this.byPath.get(path));
  }

  /** The project that the folder at `path` was last, after it was unregistered. */
  lastAt(path: string): RegisteredProject | null {
    return fromRow(this.lastByPath.get(path));
  }

  /** Registered projects whose short id or name is `word`; nine at most. */
  named(word: string): RegisteredProject[] {
    return this.byWord.all(word, word).flatMap((row) => fromRow(row) ?? []);
  }

  /** All registered projects, by id. */
  registered(): RegisteredProject[] {
    return this.allRegistered.all().flatMap((row) => fromRow(row) ?? []);
  }

  count(): number {
    return this.countRegistered.get() ?? 0;
  }

  put(project: RegisteredProject): void {
    this.write.run(
      project.projectId,
      project.clientId,
      project.shortId,
      project.name,
      project.description,
      project.path,
      project.rootFingerprint,
      project.allowPatch ? 1 : 0,
      project.revision,
      project.registeredAt,
      project.updatedAt,
      project.unregisteredAt,
    );
  }
}

function fromRow(row: Row | undefined): RegisteredProject | null {
  if (row === undefined) return null;
  return {
    projectId: row.project_id as ProjectId,
    clientId: row.client_id,
    shortId: row.short_id,
    name: row.name,
    description: row.description,
    path: row.path,
    rootFingerprint: row.root_fingerprint as RootFingerprint,
    allowPatch: row.allow_patch === 1,
    revision: row.revision,
    registeredAt: row.registered_at,
    updatedAt: row.updated_at,
    unregisteredAt: row.unregistered_at,
  };
}
