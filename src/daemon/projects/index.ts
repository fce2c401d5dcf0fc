import type { Database } from 'better-sqlite3';
import type { Domain } from '../domain.js';
import type { ProjectPort } from '../kernel/ports.js';
import type { RunnerPort } from '../runner-link/port.js';
import type { CommitQueue } from '../storage/commit-queue.js';
import { ManagedWorktrees } from './managed-worktrees.js';
import { ProjectRefs } from './project-refs.js';
import { Registry } from './registry.js';
import { ProjectStore } from './store.js';
import { createProject } from './tools/create-project.js';
import { listProjects } from './tools/list-projects.js';
import { registerProject } from './tools/register-project.js';
import { resolveWorkspace } from './tools/resolve-workspace.js';
import { unregisterProject } from './tools/unregister-project.js';
import { unregisterProjects } from './tools/unregister-projects.js';
import { projectsAtWork, type ProjectsAtWork } from './projects-at-work.js';
import { worktreeClaims } from './worktree-claims.js';
import { WorktreeStore } from './worktree-store.js';
import { WorktreeUpkeep } from './worktree-upkeep.js';

export { projectsSchema } from './schema.js';
export type { DerivedWorktree } from './managed-worktrees.js';
export type { ProjectsAtWork } from './projects-at-work.js';
export type { ManagedWorktree } from './worktree-store.js';
export type { WorktreeState, WorktreeUpkeep } from './worktree-upkeep.js';

/** What the domain is made of. */
export interface ProjectsDeps {
  readonly database: Database;
  readonly commits: CommitQueue;
  readonly runner: RunnerPort;
  /** Unix seconds. */
  readonly now: () => number;
  /** `runner.allowed_roots` of the configuration, null when it is unset (spec 00, decision 51). */
  readonly allowedRoots: readonly string[] | null;
  /** The home folder of the state folder's owner. */
  readonly home: string;
}

/** Registered projects: the port of the kernel, and what starting work on one needs. */
export interface ProjectsDomain extends Domain, ProjectPort, ProjectsAtWork {
  readonly worktreeUpkeep: WorktreeUpkeep;
}

/** Projects over a ledger that was migrated with `projectsSchema`. */
export function createProjectsDomain(deps: ProjectsDeps): ProjectsDomain {
  const refs = new ProjectRefs(deps.database, deps.commits);
  const projects = new ProjectStore(deps.database);
  const registry = new Registry({ ...deps, store: projects, refs });
  const worktreeParts = { ...deps, registry, store: new WorktreeStore(deps.database), claims: worktreeClaims() };
  return {
    name: 'projects',
    tools: [
      listProjects(registry, deps.runner),
      resolveWorkspace(registry),
      registerProject(registry),
      createProject(registry),
      unregisterProject(registry, deps.runner),
      unregisterProjects(registry, deps.runner),
    ],
    status: () => ({ registered: registry.count() }),
    resolve: (selector, principal) => registry.resolve(selector, principal),
    isVisible: (project, principal) => registry.isVisible(project, principal),
    ...projectsAtWork(registry, refs, new ManagedWorktrees(worktreeParts)),
    worktreeUpkeep: new WorktreeUpkeep({ ...worktreeParts, projects }),
  };
}
