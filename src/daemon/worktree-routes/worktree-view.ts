import type { WorktreeKeep, WorktreeView } from '../../protocol/worktrees.js';
import type { ManagedWorktree, WorktreeState } from '../projects/index.js';
import type { SessionsDomain } from '../sessions/index.js';

/** What was seen of a worktree, as it is shown. */
type Shown = Omit<WorktreeState, 'look'> & { readonly look: WorktreeView['look'] };
type SessionsOnIt = { readonly active: number; readonly closed: number } | null;

/** The retained Sessions on a worktree; null when it cannot be said now. */
export function sessionsOn(sessions: Pick<SessionsDomain, 'countsOf'>, { projectId }: ManagedWorktree): SessionsOnIt {
  return projectId === null ? { active: 0, closed: 0 } : sessions.countsOf(projectId);
}

/** A worktree for the operator. An Active Session keeps it; a Closed one does not: its work is in the commits. */
export function worktreeView(one: ManagedWorktree, state: Shown, sessions: SessionsOnIt): WorktreeView {
  const bySessions: WorktreeKeep[] = sessions === null ? ['not_readable'] : sessions.active > 0 ? ['active_session'] : [];
  return {
    operation_id: one.operationId,
    path: one.worktree,
    project: one.projectId,
    source_project: one.sourceProjectId,
    source_path: one.sourcePath,
    base_ref: one.baseRef,
    base_commit: one.baseCommit,
    begun_at: one.begunAt,
    active_sessions: sessions?.active ?? 0,
    closed_sessions: sessions?.closed ?? 0,
    look: state.look,
    kept_by: [...new Set([...bySessions, ...state.keptBy])],
    note: state.note ?? (sessions === null ? 'An import of the ledger is under way, so that nobody can say which Sessions are on it.' : null),
  };
}

/** A state without what the Runner says keeps it: that stands among the reasons. */
export function shown({ look, ...state }: WorktreeState): Shown {
  if (look === null) return { ...state, look };
  const { kept_by: _keptBy, ...rest } = look;
  return { ...state, look: rest };
}
