import type { WorktreeLook } from './runner/worktree.js';

/*
 * What the operator routes of managed worktrees and `wc worktree` say to each other.
 */

/** Why a managed worktree stays: what the Runner found in it, and what the daemon knows of its use. */
export type WorktreeKeep =
  | WorktreeLook['kept_by'][number]
  // A call makes or removes it at this moment.
  | 'in_progress'
  | 'active_session'
  | 'active_jobs'
  // Another managed worktree was made from it.
  | 'source_of_another'
  // A folder in it is registered as a project of its own.
  | 'project_inside'
  // The repository that it was made from is not where it was.
  | 'source_gone'
  // It could not be looked at, or not be removed: the note says why.
  | 'not_readable'
  | 'not_removed';

/** One managed worktree, as `POST /api/worktrees/list` shows it. */
export interface WorktreeView {
  readonly operation_id: string;
  readonly path: string;
  /** Null when it was never registered. */
  readonly project: string | null;
  readonly source_project: string;
  readonly source_path: string;
  readonly base_ref: string;
  readonly base_commit: string;
  /** Unix seconds. */
  readonly begun_at: number;
  readonly active_sessions: number;
  readonly closed_sessions: number;
  /** Null where it could not be looked at. */
  readonly look: Omit<WorktreeLook, 'kept_by'> | null;
  /** Empty when `prune` would remove it. */
  readonly kept_by: readonly WorktreeKeep[];
  /** What stood in the way of looking or removing, as a sentence. */
  readonly note: string | null;
}

/** What `POST /api/worktrees/list` answers, the newest first. */
export interface WorktreeReport {
  readonly worktrees: readonly WorktreeView[];
}

/** What `POST /api/worktrees/prune` answers; with `dry_run`, `removed` is what would be. */
export interface PruneReport {
  readonly dry_run: boolean;
  readonly removed: readonly WorktreeView[];
  readonly kept: readonly WorktreeView[];
}
