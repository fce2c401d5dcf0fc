import type { ProjectRef } from '../../protocol/ids.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import type { ResolvedProject } from '../kernel/call-context.js';
import type { Principal } from '../kernel/principal.js';
import type { ProjectRefs } from './project-refs.js';
import type { FolderCaller } from './reachable-roots.js';
import { resolvedProject } from './registered-project.js';
import type { ManagedWorktrees } from './managed-worktrees.js';
import type { Registry } from './registry.js';

/** The project that a path means, or the work tree that could become one. */
export type LocatedProject =
  | { readonly registered: ResolvedProject }
  | { readonly unregisteredWorkTree: string };

/** What starting work on a project needs of the registry, beyond the port. */
export interface ProjectsAtWork {
  /**
   * The project registered at or nearest above an absolute path; else the Git work tree
   * around it, which is not registered yet. A folder that is neither is `unknown_project`.
   */
  locate(path: string, caller: FolderCaller): Promise<LocatedProject | { readonly failure: Failure }>;
  /**
   * Registers the work tree that `locate` found under an automatic id. The permission
   * decision of `register_project` is the caller's to make before (decision 64).
   */
  registerWorkTree(
    path: string,
    caller: FolderCaller,
  ): Promise<{ readonly project: ResolvedProject; readonly newlyRegistered: boolean } | { readonly failure: Failure }>;
  /**
   * The `~pN` of a project for a principal, made on its first use.
   *
   * @throws CommitFailedError when a new one could not be kept
   */
  projectRef(project: ResolvedProject, principal: Principal): Promise<ProjectRef>;
  readonly worktrees: Pick<ManagedWorktrees, 'derive' | 'lineageOf' | 'verify'>;
}

/** The part of the registry that starting work needs. */
export function projectsAtWork(registry: Registry, refs: ProjectRefs, worktrees: ManagedWorktrees): ProjectsAtWork {
  return {
    locate: async (path, caller) => {
      const inspected = await registry.inspect(path, caller);
      if ('failure' in inspected) return inspected;
      const [nearest] = registry.around(inspected.folder.path);
      if (nearest !== undefined) return { registered: resolvedProject(nearest) };
      const workTree = inspected.folder.git_work_tree;
      if (workTree !== null) return { unregisteredWorkTree: workTree };
      return {
        failure: failure(
          'unknown_project',
          'that folder is in no registered project and in no Git work tree; register it with register_project',
          { reason_code: 'path_not_registered', state_changed: false },
        ),
      };
    },
    registerWorkTree: async (path, caller) => {
      const registration = await registry.register(path, { overwrite: false }, caller);
      if ('failure' in registration) return registration;
      return {
        project: resolvedProject(registration.project),
        newlyRegistered: registration.outcome !== 'unchanged',
      };
    },
    projectRef: ({ id, rootFingerprint }, principal) =>
      refs.refFor({ projectId: id, rootFingerprint }, principal),
    worktrees,
  };
}
