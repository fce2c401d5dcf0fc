import { dirname } from 'node:path';
import type { ProjectId, ProjectRef, RootFingerprint } from '../../protocol/ids.js';
import { isPathWithin } from '../../protocol/path-within.js';
import {
  createFolderMethod,
  inspectFolderMethod,
  type InspectedFolder,
  type PROJECT_TEMPLATES,
} from '../../protocol/runner/project.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import type { ProjectPort, ProjectResolution } from '../kernel/ports.js';
import type { Principal } from '../kernel/principal.js';
import { OneAtATime } from '../one-at-a-time.js';
import type { RunnerPort } from '../runner-link/port.js';
import { CommitFailedError, type CommitQueue } from '../storage/commit-queue.js';
import { planRegistration, type RegistrationRequest } from './plan-registration.js';
import type { ProjectRefs, WithRef } from './project-refs.js';
import { reachableRoots, type FolderCaller } from './reachable-roots.js';
import { resolvedProject, type RegisteredProject } from './registered-project.js';
import { resolveSelector } from './resolve-selector.js';
import type { ProjectStore } from './store.js';
import { seesEveryProject } from './visibility.js';

/** A registration that is committed, or that was there already. */
export interface Registration {
  readonly outcome: 'registered' | 'updated' | 'unchanged';
  readonly project: RegisteredProject;
}

/** The folder for a new project and what it starts with. */
export interface NewFolder {
  readonly path: string;
  readonly template: (typeof PROJECT_TEMPLATES)[number];
  readonly gitInit: boolean;
  readonly adoptExistingEmpty: boolean;
}

/** The answer that stands for the result. */
export type Refused = { readonly failure: Failure };

/** What the registry is made of. */
export interface RegistryDeps {
  readonly store: ProjectStore;
  readonly refs: ProjectRefs;
  readonly commits: CommitQueue;
  readonly runner: RunnerPort;
  /** Unix seconds. */
  readonly now: () => number;
  readonly allowedRoots: readonly string[] | null;
  readonly home: string;
}

/** Which folders are projects. Looking at folders is the Runner's; this keeps the rows and their rules. */
export class Registry implements ProjectPort {
  private readonly changes = new OneAtATime();

  constructor(private readonly deps: RegistryDeps) {}

  resolve(selector: string, principal: Principal): ProjectResolution {
    const answer = this.select(selector, principal);
    return 'failure' in answer ? answer : { project: resolvedProject(answer.project) };
  }

  /** Known projects stay visible after they were unregistered, so that their Sessions can be read and closed. */
  isVisible(_project: ProjectId, principal: Principal): boolean {
    return seesEveryProject(principal);
  }

  /** `resolve`, with the whole row. */
  select(selector: string, principal: Principal): { readonly project: RegisteredProject } | Refused {
    const visible = seesEveryProject(principal);
    const { store, refs } = this.deps;
    return resolveSelector(selector, {
      find: (id) => (visible ? store.find(id) : null),
      named: (word) => (visible ? store.named(word) : []),
      registered: () => (visible ? store.registered() : []),
      pinned: (number) => {
        const pin = visible ? refs.pin(number, principal) : null;
        const project = pin === null ? null : store.find(pin.projectId);
        const holds =
          project !== null && project.unregisteredAt === null && project.rootFingerprint === pin?.rootFingerprint;
        return holds ? project : null;
      },
    });
  }

  /** A project by its exact id, unregistered ones included, or null. */
  find(projectId: ProjectId, principal: Principal): RegisteredProject | null {
    return seesEveryProject(principal) ? this.deps.store.find(projectId) : null;
  }

  registered(principal: Principal): readonly RegisteredProject[] {
    return seesEveryProject(principal) ? this.deps.store.registered() : [];
  }

  count(): number {
    return this.deps.store.count();
  }

  /** The registered projects below a resolved path, whoever asks. */
  below(path: string): readonly RegisteredProject[] {
    return this.deps.store.registered().filter((project) => project.path !== path && isPathWithin(path, project.path));
  }

  /** The registered projects at or above a resolved path, the nearest first. */
  around(path: string): readonly RegisteredProject[] {
    const found: RegisteredProject[] = [];
    for (let folder = path; ; folder = dirname(folder)) {
      const project = this.deps.store.at(folder);
      if (project !== null) found.push(project);
      if (dirname(folder) === folder) return found;
    }
  }

  /** @throws CommitFailedError when a new ref could not be kept */
  withRefs<Project extends RegisteredProject>(
    projects: readonly Project[],
    principal: Principal,
  ): Promise<WithRef<Project>[]> {
    return this.deps.refs.withRefs(projects, principal);
  }

  /** @throws CommitFailedError when a new ref could not be kept */
  refFor(project: RegisteredProject, principal: Principal): Promise<ProjectRef> {
    return this.deps.refs.refFor(project, principal);
  }

  /** What an absolute path leads to, if this caller may reach it. */
  async inspect(path: string, caller: FolderCaller): Promise<{ readonly folder: InspectedFolder } | Refused> {
    const answer = await this.deps.runner.call(
      inspectFolderMethod,
      { path, allowed_roots: this.rootsOf(caller) },
      { signal: caller.signal },
    );
    return 'failure' in answer ? answer : { folder: answer.answer };
  }

  /**
   * Inspects a path and registers the folder there.
   *
   * @param along what else the commit of the registration holds
   */
  async register(
    path: string,
    request: RegistrationRequest,
    caller: FolderCaller,
    along?: (project: RegisteredProject) => void,
  ): Promise<Registration | Refused> {
    const inspected = await this.inspect(path, caller);
    return 'failure' in inspected ? inspected : this.registerFolder(inspected.folder, request, along);
  }

  /** Makes a folder and registers it. Whether its id is free is checked before anything is made. */
  async create(
    place: NewFolder,
    request: RegistrationRequest,
    caller: FolderCaller,
  ): Promise<{ readonly registration: Registration; readonly files: readonly string[] } | Refused> {
    const plan = planRegistration(request, { path: place.path, fingerprint: '' as RootFingerprint }, this.deps.store, 0);
    if ('failure' in plan) return plan;
    const answer = await this.deps.runner.call(
      createFolderMethod,
      {
        path: place.path,
        allowed_roots: this.rootsOf(caller),
        name: plan.project.name,
        template: place.template,
        git_init: place.gitInit,
        adopt_existing_empty: place.adoptExistingEmpty,
      },
      { signal: caller.signal },
    );
    if ('failure' in answer) return answer;
    const registration = await this.registerFolder(answer.answer.folder, request);
    if ('failure' in registration) return { failure: withFolderLeft(registration.failure, answer.answer.folder.path) };
    return { registration, files: answer.answer.files };
  }

  /**
   * Ends a registration; nothing of the folder is touched.
   *
   * @param along what else the commit holds
   */
  unregister(projectId: ProjectId, expectedRevision: number, along?: () => void): Promise<Registration | Refused> {
    return this.changes.run(async () => {
      const project = this.deps.store.find(projectId);
      if (project === null || project.unregisteredAt !== null) {
        return { failure: failure('unknown_project', 'that project is not registered any more', { state_changed: false }) };
      }
      if (project.revision !== expectedRevision) return { failure: revisionConflict(project) };
      const now = this.deps.now();
      return this.commit('updated', {
        ...project,
        revision: project.revision + 1,
        updatedAt: now,
        unregisteredAt: now,
      }, along);
    });
  }

  private registerFolder(
    folder: InspectedFolder,
    request: RegistrationRequest,
    along?: (project: RegisteredProject) => void,
  ): Promise<Registration | Refused> {
    return this.changes.run(async () => {
      const found = { path: folder.path, fingerprint: folder.fingerprint as RootFingerprint };
      const plan = planRegistration(request, found, this.deps.store, this.deps.now());
      if ('failure' in plan) return plan;
      if (plan.outcome === 'unchanged' && along === undefined) return plan;
      return this.commit(plan.outcome, plan.project, along);
    });
  }

  private async commit(
    outcome: Registration['outcome'],
    project: RegisteredProject,
    along?: (project: RegisteredProject) => void,
  ): Promise<Registration | Refused> {
    try {
      await this.deps.commits.enqueue(() => {
        if (outcome !== 'unchanged') this.deps.store.put(project);
        along?.(project);
      });
      return { outcome, project };
    } catch (error) {
      if (!(error instanceof CommitFailedError)) throw error;
      return { failure: failure('storage_unavailable', error.message, { state_changed: false }) };
    }
  }

  private rootsOf(caller: FolderCaller): readonly string[] | null {
    return reachableRoots(
      this.deps,
      caller,
      this.deps.store.registered().map(({ path }) => path),
    );
  }
}

/** A change that was made on an older view of the project. */
export function revisionConflict(project: RegisteredProject): Failure {
  return failure('revision_conflict', `${project.projectId} has changed; its revision is ${project.revision} now`, {
    project: project.projectId,
    revision: project.revision,
    state_changed: false,
  });
}

/** The folder was made and stays, although its registration failed. */
function withFolderLeft(failed: Failure, path: string): Failure {
  return { ...failed, output: { ...failed.output, state_changed: true, created_path: path } };
}
