import type { Failure } from '../../../protocol/tool-result.js';
import { failure } from '../../../protocol/tool-result.js';
import { missingScope } from '../../../protocol/scopes.js';
import type { CallContext, ResolvedProject } from '../../kernel/call-context.js';
import { refuseCall } from '../../kernel/call-refused.js';
import type { PermissionDecision, ProjectPort, SessionView } from '../../kernel/ports.js';
import type { ProjectsAtWork } from '../../projects/index.js';
import { projectMismatch } from './resume-target.js';
import type { WorkSource } from './work-source.js';

const LOCAL_CLIENT = 'local';

/** The permission decision of `register_project`, made once for a call that has to register. */
export type DecideRegistration = (call: CallContext) => Failure | PermissionDecision | null;

/** The project that the work is on, and how it was found. */
export interface ProjectForWork {
  readonly project: ResolvedProject;
  readonly source: WorkSource['from'];
  readonly newlyRegistered: boolean;
  /** The decision that a registration needed; null without one. */
  readonly permission: PermissionDecision | null;
}

/**
 * The project of a call (spec 01 §9, steps 3 and 4), equal to the Session's and the
 * recorder's. A Git work tree that is not registered yet is registered only when
 * neither of them could already belong to another project.
 *
 * @throws CallRefused
 */
export async function resolveProject(
  deps: { readonly projects: ProjectPort & ProjectsAtWork; readonly decideRegistration: DecideRegistration },
  source: WorkSource,
  session: SessionView | null,
  call: CallContext,
): Promise<ProjectForWork> {
  switch (source.from) {
    case 'session': {
      if (session === null || session.project === null) return refuseCall(projectMismatch('session', null, null));
      return bySelector(deps.projects, session.project, 'session', session, call);
    }
    case 'project':
      return bySelector(deps.projects, source.selector, 'project', session, call);
    case 'path':
      return byPath(deps, source, session, call);
  }
}

function bySelector(
  projects: ProjectPort,
  selector: string,
  source: 'session' | 'project',
  session: SessionView | null,
  call: CallContext,
): ProjectForWork {
  const resolution = projects.resolve(selector, call.principal);
  if ('failure' in resolution) return refuseCall(resolution.failure);
  requireSameProject(resolution.project, session, call);
  return { project: resolution.project, source, newlyRegistered: false, permission: null };
}

async function byPath(
  deps: { readonly projects: ProjectsAtWork; readonly decideRegistration: DecideRegistration },
  source: Extract<WorkSource, { from: 'path' }>,
  session: SessionView | null,
  call: CallContext,
): Promise<ProjectForWork> {
  if (source.clientId !== LOCAL_CLIENT) {
    refuseCall(failure('unknown_client_id', 'there is one client, "local"', { clients: [LOCAL_CLIENT], state_changed: false }));
  }
  const located = await deps.projects.locate(source.path, call);
  if ('failure' in located) return refuseCall(located.failure);
  if ('registered' in located) {
    requireSameProject(located.registered, session, call);
    return { project: located.registered, source: 'path', newlyRegistered: false, permission: null };
  }
  // A project that is yet to be is no Session's and no recorder's.
  if (session !== null) refuseCall(projectMismatch('session', session.project, null));
  if (call.recorderProject !== null) refuseCall(projectMismatch('recorder', call.recorderProject, null));
  const permission = mayRegister(deps.decideRegistration, call);
  const registered = await deps.projects.registerWorkTree(located.unregisteredWorkTree, call);
  if ('failure' in registered) return refuseCall(registered.failure);
  return { ...registered, source: 'path', permission };
}

/**
 * The same scope and the same decision as `register_project` (spec 00, decision 64).
 *
 * @throws CallRefused
 */
export function mayRegister(decide: DecideRegistration, call: CallContext): PermissionDecision | null {
  const missing = missingScope({ kind: 'all', scopes: ['project:write'] }, call.principal.scopes);
  if (missing !== null) {
    refuseCall(
      failure('insufficient_scope', `this credential lacks the scope ${missing}, which registering a work tree needs`, {
        missing_scope: missing,
        state_changed: false,
      }),
    );
  }
  const decision = decide(call);
  return decision !== null && 'success' in decision ? refuseCall(decision) : decision;
}

function requireSameProject(project: ResolvedProject, session: SessionView | null, call: CallContext): void {
  if (session !== null && session.project !== project.id) {
    refuseCall(projectMismatch('session', session.project, project.id));
  }
  if (call.recorder !== null && call.recorderProject !== null && call.recorderProject !== project.id) {
    refuseCall(projectMismatch('recorder', call.recorderProject, project.id));
  }
}
