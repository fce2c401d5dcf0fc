import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { ProjectId } from '../../protocol/ids.js';
import {
  createWorktreeMethod,
  planWorktreeMethod,
  verifyWorktreeMethod,
  type WorktreeInclude,
} from '../../protocol/runner/worktree.js';
import { errorKindOf, failure, type Failure } from '../../protocol/tool-result.js';
import type { ResolvedProject } from '../kernel/call-context.js';
import type { RunnerPort } from '../runner-link/port.js';
import { CommitFailedError, type CommitQueue } from '../storage/commit-queue.js';
import { worktreeRoots, type FolderCaller } from './reachable-roots.js';
import { resolvedProject } from './registered-project.js';
import type { Refused, Registry } from './registry.js';
import { isClaimed, type WorktreeClaims } from './worktree-claims.js';
import type { ManagedWorktree, WorktreeStore } from './worktree-store.js';

const HEAD = 'HEAD';

/** The source as it was when its worktree was made. */
export interface SourceState {
  readonly branch: string | null;
  readonly head: string | null;
  readonly dirty: boolean;
  readonly conflicted: boolean;
}

/** A worktree that was made and registered, and that no Session is on yet. */
export interface DerivedWorktree {
  readonly project: ResolvedProject;
  readonly outcome: 'managed_worktree_created' | 'managed_worktree_recovered';
  readonly lineage: ManagedWorktree;
  readonly source: SourceState;
  readonly include: WorktreeInclude;
  /**
   * Carries out `begin`, which puts a Session on the worktree. From that commit on no retry
   * takes the worktree up; when `begin` fails, one may again.
   */
  readonly handOver: <Begun extends object>(begin: () => Promise<Begun>) => Promise<Begun>;
  /** The end of the call, however it ended. */
  readonly release: () => void;
}

/** What managed worktrees are made of. */
export interface ManagedWorktreesDeps {
  readonly registry: Registry;
  readonly store: WorktreeStore;
  readonly claims: WorktreeClaims;
  readonly commits: CommitQueue;
  readonly runner: RunnerPort;
  /** Unix seconds. */
  readonly now: () => number;
  readonly allowedRoots: readonly string[] | null;
  readonly home: string;
}

/**
 * Worktrees that are made for a task and registered as projects of their own (spec 01 §9;
 * spec 07 §6). The lineage is committed before anything is made, so that whatever a crash
 * leaves is taken up by the same principal's next call on the same source and commit.
 */
export class ManagedWorktrees {
  constructor(private readonly deps: ManagedWorktreesDeps) {}

  /** Where a project comes from, when it is a managed worktree; else null. */
  lineageOf(projectId: ProjectId): ManagedWorktree | null {
    return this.deps.store.ofProject(projectId);
  }

  /** Makes a worktree of a source at a commit and registers it. The permission to register is the caller's to ask for. */
  async derive(source: ResolvedProject, baseRef: string | undefined, caller: FolderCaller): Promise<DerivedWorktree | Refused> {
    const planned = await this.plan(source, baseRef ?? HEAD, caller);
    if ('failure' in planned) return planned;
    const { operation, state } = planned;
    this.deps.claims.making.add(operation.operationId);
    const release = (): void => void this.deps.claims.making.delete(operation.operationId);
    try {
      const made = await this.make(source, operation, caller);
      if ('failure' in made) {
        release();
        return made;
      }
      return {
        ...made,
        source: state,
        handOver: (begin) => this.handOver(operation.operationId, begin),
        release,
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Looks whether a managed worktree still is what its lineage says.
   *
   * @param baseRef must mean the commit it was made from; undefined leaves it
   */
  async verify(
    project: ResolvedProject,
    lineage: ManagedWorktree,
    baseRef: string | undefined,
    caller: FolderCaller,
  ): Promise<Refused | null> {
    if (this.deps.claims.removing.has(lineage.operationId)) {
      return {
        failure: failure('managed_worktree_resume_mismatch', 'that worktree is being removed; start a new one', {
          reason_code: 'being_removed',
          worktree: lineage.worktree,
          state_changed: false,
        }),
      };
    }
    const source = this.deps.registry.find(lineage.sourceProjectId, caller.principal);
    if (source === null || source.unregisteredAt !== null) return { failure: sourceUnavailable(lineage) };
    if (source.rootFingerprint !== lineage.sourceFingerprint) {
      return {
        failure: failure('managed_worktree_resume_mismatch', 'the source of that worktree is another folder by now; start a new one', {
          reason_code: 'source_replaced',
          source_project: lineage.sourceProjectId,
          state_changed: false,
        }),
      };
    }
    const answered = await this.deps.runner.call(
      verifyWorktreeMethod,
      {
        root: rootOf(project),
        source_root: rootOf(resolvedProject(source)),
        worktree: lineage.worktree,
        base_commit: lineage.baseCommit,
        base_ref: baseRef ?? null,
      },
      { signal: caller.signal },
    );
    return 'failure' in answered ? answered : null;
  }

  /** Looks at the source, and commits the operation that is to be carried out: a new one, or one that was left. */
  private async plan(
    source: ResolvedProject,
    baseRef: string,
    caller: FolderCaller,
  ): Promise<{ readonly operation: ManagedWorktree; readonly state: SourceState } | Refused> {
    const operationId = randomUUID();
    const answered = await this.deps.runner.call(
      planWorktreeMethod,
      {
        root: rootOf(source),
        worktree_roots: worktreeRoots(this.deps, caller),
        operation_id: operationId,
        base_ref: baseRef,
      },
      { signal: caller.signal },
    );
    if ('failure' in answered) return answered;
    const { base_commit: baseCommit, worktree, source: state } = answered.answer;
    const operation: ManagedWorktree = {
      operationId,
      principalKey: caller.principal.principalKey,
      sourceProjectId: source.id,
      sourcePath: source.path,
      sourceFingerprint: source.rootFingerprint,
      baseRef,
      baseCommit,
      worktree,
      projectId: null,
      state: 'begun',
      begunAt: this.deps.now(),
    };
    const left = this.deps.store
      .begun(source.id)
      .find((one) => !isClaimed(this.deps.claims, one.operationId) && isSameOperation(one, operation));
    if (left !== undefined) return { operation: left, state };
    // From here on the operation is ours, also while its commit is on the way.
    this.deps.claims.making.add(operationId);
    const failed = await this.write(() => this.deps.store.add(operation));
    if (failed === null) return { operation, state };
    this.deps.claims.making.delete(operationId);
    return failed;
  }

  private async make(
    source: ResolvedProject,
    operation: ManagedWorktree,
    caller: FolderCaller,
  ): Promise<Pick<DerivedWorktree, 'project' | 'outcome' | 'lineage' | 'include'> | Refused> {
    const { operationId } = operation;
    const created = await this.deps.runner.call(
      createWorktreeMethod,
      {
        root: rootOf(source),
        worktree_roots: worktreeRoots(this.deps, caller),
        operation_id: operationId,
        base_commit: operation.baseCommit,
      },
      { signal: caller.signal },
    );
    if ('failure' in created) {
      await this.afterFailure(operationId, created.failure);
      return { failure: withOperation(created.failure, operation) };
    }
    const { folder, outcome, include } = created.answer;
    const registration = await this.deps.registry.register(
      folder,
      { overwrite: false, allowPatch: source.allowPatch },
      caller,
      (project) => this.deps.store.register(operationId, project.projectId),
    );
    if ('failure' in registration) return { failure: registrationFailed(registration.failure, operation) };
    const project = resolvedProject(registration.project);
    return {
      project,
      outcome: outcome === 'created' ? 'managed_worktree_created' : 'managed_worktree_recovered',
      lineage: { ...operation, projectId: project.id },
      include,
    };
  }

  /** Nothing was made: the operation never was. What cannot be taken up is never tried again. */
  private async afterFailure(operationId: string, failed: Failure): Promise<void> {
    const kind = errorKindOf(failed);
    if (kind === 'managed_worktree_recovery_conflict') {
      await this.write(() => this.deps.store.moveTo(operationId, 'abandoned'));
    } else if (kind === 'worktree_creation_failed' || kind === 'managed_worktree_root_unavailable') {
      await this.write(() => this.deps.store.forget(operationId));
    }
  }

  private async handOver<Begun extends object>(operationId: string, begin: () => Promise<Begun>): Promise<Begun> {
    const { commits, store } = this.deps;
    const begun = begin();
    // Queued in the same turn as the Session's commit, so that they share it.
    const marked = commits.enqueue(() => store.moveTo(operationId, 'in_use'));
    const [session, mark] = await Promise.allSettled([begun, marked]);
    const hasBegun = session.status === 'fulfilled' && !('failure' in session.value);
    if (mark.status === 'fulfilled' && !hasBegun) await this.write(() => store.moveTo(operationId, 'begun'));
    if (session.status === 'rejected') throw session.reason;
    return session.value;
  }

  private async write(work: () => void): Promise<Refused | null> {
    try {
      await this.deps.commits.enqueue(work);
      return null;
    } catch (error) {
      if (!(error instanceof CommitFailedError)) throw error;
      return { failure: failure('storage_unavailable', error.message, { state_changed: false }) };
    }
  }
}

/** Whether an operation that was left would make the very same worktree, in the same namespace. */
function isSameOperation(left: ManagedWorktree, wanted: ManagedWorktree): boolean {
  return (
    left.principalKey === wanted.principalKey &&
    left.sourceFingerprint === wanted.sourceFingerprint &&
    left.baseCommit === wanted.baseCommit &&
    dirname(left.worktree) === dirname(wanted.worktree)
  );
}

function rootOf({ path, rootFingerprint }: ResolvedProject): { path: string; fingerprint: string } {
  return { path, fingerprint: rootFingerprint };
}

function withOperation(failed: Failure, { operationId, sourceProjectId }: ManagedWorktree): Failure {
  return { ...failed, output: { ...failed.output, operation_id: operationId, source_project: sourceProjectId } };
}

/** The worktree stands and the next call takes it up. */
function registrationFailed(cause: Failure, operation: ManagedWorktree): Failure {
  return withOperation(
    failure('worktree_registration_failed', `the worktree was made but not registered: ${cause.error}; the same call takes it up`, {
      reason_code: errorKindOf(cause) ?? 'internal_error',
      worktree: operation.worktree,
      state_changed: true,
    }),
    operation,
  );
}

function sourceUnavailable(lineage: ManagedWorktree): Failure {
  return failure(
    'managed_worktree_source_project_unavailable',
    'the project that this worktree was made from is not registered any more; register it again, or work on the worktree in mode checkout',
    { source_project: lineage.sourceProjectId, state_changed: false },
  );
}
