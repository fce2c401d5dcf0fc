import type { Database } from 'better-sqlite3';
import type { ProjectId, RootFingerprint } from '../../protocol/ids.js';

/**
 * Where a managed worktree is in its life: `begun` until a Session is on it, so that a
 * retry may take it up; `abandoned` when what was left could not be taken up.
 */
export type WorktreeState = 'begun' | 'in_use' | 'abandoned';

/** The lineage of a managed worktree (spec 07 §6). */
export interface ManagedWorktree {
  readonly operationId: string;
  /** Who began it; nobody else's retry takes it up. */
  readonly principalKey: string;
  readonly sourceProjectId: ProjectId;
  readonly sourcePath: string;
  readonly sourceFingerprint: RootFingerprint;
  readonly baseRef: string;
  readonly baseCommit: string;
  /** The top of the worktree, absolute. */
  readonly worktree: string;
  /** Null until it is registered. */
  readonly projectId: ProjectId | null;
  readonly state: WorktreeState;
  /** Unix seconds. */
  readonly begunAt: number;
}

interface Row {
  readonly operation_id: string;
  readonly principal_key: string;
  readonly source_project_id: string;
  readonly source_path: string;
  readonly source_fingerprint: string;
  readonly base_ref: string;
  readonly base_commit: string;
  readonly worktree: string;
  readonly project_id: string | null;
  readonly state: string;
  readonly begun_at: number;
}

/** The SQL of managed worktrees. It sees committed rows only; writes belong into a commit. */
export class WorktreeStore {
  private readonly byProject;
  private readonly begunFrom;
  private readonly everyOne;
  private readonly write;
  private readonly setProject;
  private readonly setState;
  private readonly remove;

  constructor(database: Database) {
    this.byProject = database.prepare<[string], Row>(
      'SELECT * FROM managed_worktrees WHERE project_id = ? ORDER BY begun_at DESC LIMIT 1',
    );
    this.begunFrom = database.prepare<[string], Row>(
      `SELECT * FROM managed_worktrees WHERE source_project_id = ? AND state = 'begun' ORDER BY begun_at, operation_id`,
    );
    this.everyOne = database.prepare<[], Row>('SELECT * FROM managed_worktrees ORDER BY begun_at DESC, operation_id');
    this.write = database.prepare(
      `INSERT INTO managed_worktrees (operation_id, principal_key, source_project_id, source_path, source_fingerprint,
         base_ref, base_commit, worktree, project_id, state, begun_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.setProject = database.prepare('UPDATE managed_worktrees SET project_id = ? WHERE operation_id = ?');
    this.setState = database.prepare('UPDATE managed_worktrees SET state = ? WHERE operation_id = ?');
    this.remove = database.prepare('DELETE FROM managed_worktrees WHERE operation_id = ?');
  }

  /** The lineage of a project that is a managed worktree, or null. */
  ofProject(projectId: ProjectId): ManagedWorktree | null {
    const row = this.byProject.get(projectId);
    return row === undefined ? null : fromRow(row);
  }

  /** The operations on a source that no Session is on yet, the oldest first. */
  begun(sourceProjectId: ProjectId): ManagedWorktree[] {
    return this.begunFrom.all(sourceProjectId).map(fromRow);
  }

  /** Every one, the newest first. */
  all(): ManagedWorktree[] {
    return this.everyOne.all().map(fromRow);
  }

  add(one: ManagedWorktree): void {
    this.write.run(
      one.operationId,
      one.principalKey,
      one.sourceProjectId,
      one.sourcePath,
      one.sourceFingerprint,
      one.baseRef,
      one.baseCommit,
      one.worktree,
      one.projectId,
      one.state,
      one.begunAt,
    );
  }

  register(operationId: string, projectId: ProjectId): void {
    this.setProject.run(projectId, operationId);
  }

  moveTo(operationId: string, state: WorktreeState): void {
    this.setState.run(state, operationId);
  }

  /** Forgets an operation that made nothing, or whose worktree was removed. */
  forget(operationId: string): void {
    this.remove.run(operationId);
  }
}

function fromRow(row: Row): ManagedWorktree {
  return {
    operationId: row.operation_id,
    principalKey: row.principal_key,
    sourceProjectId: row.source_project_id as ProjectId,
    sourcePath: row.source_path,
    sourceFingerprint: row.source_fingerprint as RootFingerprint,
    baseRef: row.base_ref,
    baseCommit: row.base_commit,
    worktree: row.worktree,
    projectId: row.project_id as ProjectId | null,
    state: row.state as WorktreeState,
    begunAt: row.begun_at,
  };
}
