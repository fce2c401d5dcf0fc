import { failure } from '../../../protocol/tool-result.js';
import type { CallContext } from '../../kernel/call-context.js';
import { refuseCall } from '../../kernel/call-refused.js';
import type { SessionView } from '../../kernel/ports.js';
import type { DerivedWorktree, ManagedWorktree, ProjectsAtWork } from '../../projects/index.js';
import { mayRegister, type DecideRegistration, type ProjectForWork } from './resolve-project.js';
import { projectMismatch } from './resume-target.js';

/** The managed worktree that the work is on. */
export interface WorktreeForWork {
  readonly lineage: ManagedWorktree;
  /** Null when a worktree is resumed. */
  readonly derived: DerivedWorktree | null;
}

/**
 * The worktree of a call in mode worktree (spec 01 §9, step 5): the managed worktree that
 * the call named itself, by its path or by its own Session, looked at again; else a new one
 * that is made from the project the call named.
 *
 * @throws CallRefused
 */
export async function bootstrapWorktree(
  deps: { readonly projects: ProjectsAtWork; readonly decideRegistration: DecideRegistration },
  source: ProjectForWork,
  session: SessionView | null,
  baseRef: string | undefined,
  call: CallContext,
): Promise<{ readonly target: ProjectForWork; readonly worktree: WorktreeForWork }> {
  const { worktrees } = deps.projects;
  const lineage = worktrees.lineageOf(source.project.id);
  if (lineage !== null && (source.source === 'path' || session !== null)) {
    const refused = await worktrees.verify(source.project, lineage, baseRef, call);
    if (refused !== null) refuseCall(refused.failure);
    return { target: source, worktree: { lineage, derived: null } };
  }
  // The new worktree's project is nobody's yet: a recorder of the source may not write about it.
  if (call.recorderProject !== null) refuseCall(projectMismatch('recorder', call.recorderProject, null));
  const permission = mayRegister(deps.decideRegistration, call);
  if (call.signal.aborted) {
    refuseCall(failure('cancelled', 'the call was cancelled before a worktree was made', { state_changed: false }));
  }
  const derived = await worktrees.derive(source.project, baseRef, call);
  if ('failure' in derived) return refuseCall(derived.failure);
  return {
    target: { project: derived.project, source: source.source, newlyRegistered: true, permission },
    worktree: { lineage: derived.lineage, derived },
  };
}

/** Refuses, before any other work, a Session that cannot be a managed worktree's: a source's never is. */
export function refuseSourceSession(projects: ProjectsAtWork, session: SessionView | null): void {
  if (session === null) return;
  if (session.project !== null && projects.worktrees.lineageOf(session.project) !== null) return;
  refuseCall(projectMismatch('session', session.project, null));
}
