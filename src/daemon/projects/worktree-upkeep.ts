import { errorKindOf, type Failure } from '../../protocol/tool-result.js';
import { inspectWorktreeMethod, removeWorktreeMethod, type WorktreeLook } from '../../protocol/runner/worktree.js';
import type { WorktreeKeep } from '../../protocol/worktrees.js';
import type { RunnerPort } from '../runner-link/port.js';
import { CommitFailedError, type CommitQueue } from '../storage/commit-queue.js';
import { refuseWithActiveJobs } from './active-jobs.js';
import type { RegisteredProject } from './registered-project.js';
import type { Registry } from './registry.js';
import type { ProjectStore } from './store.js';
import { isClaimed, type WorktreeClaims } from './worktree-claims.js';
import type { ManagedWorktree, WorktreeStore } from './worktree-store.js';

/** A managed worktree and what keeps it, Sessions aside. */
export interface WorktreeState {
  /** Null where it could not be looked at. */
  readonly look: WorktreeLook | null;
  readonly keptBy: readonly WorktreeKeep[];
  readonly note: string | null;
}

export interface WorktreeUpkeepDeps {
  readonly registry: Registry;
  readonly projects: ProjectStore;
  readonly store: WorktreeStore;
  readonly claims: WorktreeClaims;
  readonly commits: CommitQueue;
  readonly runner: RunnerPort;
}

/** Looks at the managed worktrees that were made, and removes those that nothing needs. */
export class WorktreeUpkeep {
  constructor(private readonly deps: WorktreeUpkeepDeps) {}

  /** Every managed worktree, the newest first: one that was made from another comes before it. */
  all(): readonly ManagedWorktree[] {
    return this.deps.store.all();
  }

  async inspect(one: ManagedWorktree, signal: AbortSignal): Promise<WorktreeState> {
    const { runner, claims } = this.deps;
    if (isClaimed(claims, one.operationId)) return { look: null, keptBy: ['in_progress'], note: null };
    const [answered, jobs] = await Promise.all([
      runner.call(inspectWorktreeMethod, requestOf(one), { signal }),
      one.projectId === null ? null : refuseWithActiveJobs(runner, one.projectId, signal),
    ]);
    const used = [...this.usedBy(one), ...(jobs === null ? [] : [jobKeep(jobs)])];
    if ('failure' in answered) return { look: null, keptBy: [...used, lookKeep(answered.failure)], note: answered.failure.error };
    const { answer: look } = answered;
    return { look, keptBy: [...used, ...look.kept_by], note: jobs === null || jobKeep(jobs) === 'active_jobs' ? null : jobs.error };
  }

  /**
   * Removes a worktree that nothing keeps: the folder, what git knows of it, its registration
   * and its lineage. No Session resumes it meanwhile, and whatever the Runner still finds in
   * it keeps it.
   *
   * @param isFree whether no Session is on it, asked once more when none can resume it any more
   */
  async remove(one: ManagedWorktree, isFree: () => boolean, signal: AbortSignal): Promise<WorktreeState> {
    const { claims, runner } = this.deps;
    if (isClaimed(claims, one.operationId)) return { look: null, keptBy: ['in_progress'], note: null };
    claims.removing.add(one.operationId);
    try {
      if (!isFree()) return { look: null, keptBy: ['active_session'], note: null };
      const answered = await runner.call(removeWorktreeMethod, requestOf(one), { signal });
      if ('failure' in answered) return { look: null, keptBy: ['not_removed'], note: answered.failure.error };
      const { removed, look } = answered.answer;
      if (!removed) return { look, keptBy: look.kept_by, note: null };
      const failed = await this.forget(one);
      // The folder is gone; the next prune ends what is left of it in the ledger.
      return failed === null ? { look, keptBy: [], note: null } : { look, keptBy: ['not_removed'], note: failed };
    } finally {
      claims.removing.delete(one.operationId);
    }
  }

  private usedBy(one: ManagedWorktree): WorktreeKeep[] {
    const { registry, store } = this.deps;
    const isSource = one.projectId !== null && store.all().some(({ sourceProjectId }) => sourceProjectId === one.projectId);
    const hasOthers = registry.below(one.worktree).some(({ projectId }) => projectId !== one.projectId);
    return [...(isSource ? (['source_of_another'] as const) : []), ...(hasOthers ? (['project_inside'] as const) : [])];
  }

  /** Ends the registration and drops the lineage, in one commit; why it failed, or null. */
  private async forget(one: ManagedWorktree): Promise<string | null> {
    const { registry, store, commits } = this.deps;
    const drop = (): void => store.forget(one.operationId);
    const project = this.registeredAs(one);
    if (project !== null) {
      const ended = await registry.unregister(project.projectId, project.revision, drop);
      return 'failure' in ended ? ended.failure.error : null;
    }
    try {
      await commits.enqueue(drop);
      return null;
    } catch (error) {
      if (!(error instanceof CommitFailedError)) throw error;
      return error.message;
    }
  }

  private registeredAs({ projectId }: ManagedWorktree): RegisteredProject | null {
    const project = projectId === null ? null : this.deps.projects.find(projectId);
    return project === null || project.unregisteredAt !== null ? null : project;
  }
}

function requestOf(one: ManagedWorktree): {
  readonly source_root: { readonly path: string; readonly fingerprint: string };
  readonly worktree: string;
  readonly base_commit: string;
  readonly operation_id: string;
} {
  return {
    source_root: { path: one.sourcePath, fingerprint: one.sourceFingerprint },
    worktree: one.worktree,
    base_commit: one.baseCommit,
    operation_id: one.operationId,
  };
}

function jobKeep(failed: Failure): WorktreeKeep {
  return errorKindOf(failed) === 'project_jobs_active' ? 'active_jobs' : 'not_readable';
}

function lookKeep(failed: Failure): WorktreeKeep {
  const kind = errorKindOf(failed);
  return kind === 'project_root_changed' || kind === 'source_not_git_repository' ? 'source_gone' : 'not_readable';
}
