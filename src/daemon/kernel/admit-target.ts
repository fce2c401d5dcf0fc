import type { ProjectId } from '../../protocol/ids.js';
import { isShellLike, isWriteLike, type ToolDefinition } from '../../protocol/tool-definition.js';
import { failure } from '../../protocol/tool-result.js';
import type { ResolvedProject } from './call-context.js';
import { refuseCall } from './call-refused.js';
import type { ProjectPort, SessionPort, SessionView } from './ports.js';
import type { Principal } from './principal.js';
import { admitBusinessSession, unknownSession } from './select-sessions.js';

/** What a call is about: its Session and its project, both admitted. */
export interface Target {
  readonly session: SessionView | null;
  readonly project: ResolvedProject | null;
}

/**
 * Step 10, first half: the Session exists and belongs to the caller, the project
 * resolves, and recorder, Session and request name the same project. There is no way
 * around the last rule (spec 01 §3).
 */
export function admitTarget(
  ports: { readonly sessions: SessionPort; readonly projects: ProjectPort },
  definition: ToolDefinition,
  input: Readonly<Record<string, unknown>>,
  recorder: SessionView | null,
  principal: Principal,
): Target {
  const session = admitSession(ports, definition, input, principal);
  const project = resolveProject(ports.projects, definition, input, session, principal);
  const requestProject = project?.id ?? (definition.session === 'target' ? (session?.project ?? null) : null);
  if (session !== null && project !== null && session.project !== project.id) {
    refuseMismatch('session', session.project, project.id);
  }
  if (recorder !== null && requestProject !== null && recorder.project !== null && recorder.project !== requestProject) {
    refuseMismatch('recorder', recorder.project, requestProject);
  }
  // Whoever speaks from one Session into another speaks within one project, or from none into none.
  if (definition.recorder_project === 'same' && recorder !== null && session !== null && recorder.project !== session.project) {
    refuseMismatch('recorder', recorder.project, session.project);
  }
  return { session, project };
}

function admitSession(
  ports: { readonly sessions: SessionPort; readonly projects: ProjectPort },
  definition: ToolDefinition,
  input: Readonly<Record<string, unknown>>,
  principal: Principal,
): SessionView | null {
  if (definition.session === 'none' || definition.session === 'own') return null;
  const selector = input['session_id'];
  if (typeof selector === 'string') {
    return admitBusinessSession(ports.sessions, ports.projects, selector, principal);
  }
  return definition.session === 'target' ? refuseCall(unknownSession()) : null;
}

function resolveProject(
  projects: ProjectPort,
  definition: ToolDefinition,
  input: Readonly<Record<string, unknown>>,
  session: SessionView | null,
  principal: Principal,
): ResolvedProject | null {
  if (definition.project === 'none' || definition.project === 'own') return null;
  const given = input['project'];
  const selector = typeof given === 'string' ? given : (session?.project ?? null);
  if (selector === null) {
    // A Session without a project supplies none (spec 01 §9).
    if (definition.project === 'session_default') return null;
    return refuseCall(failure('unknown_project', 'name the project that this call is about', { state_changed: false }));
  }
  const resolution = projects.resolve(selector, principal);
  return 'failure' in resolution ? refuseCall(resolution.failure) : resolution.project;
}

function refuseMismatch(side: 'session' | 'recorder', bound: ProjectId | null, request: ProjectId | null): never {
  return refuseCall(
    failure('session_project_mismatch', `the ${side === 'session' ? 'Session' : 'recorder'} belongs to another project than this call`, {
      mismatch: side,
      session_project: bound ?? '<unscoped>',
      request_project: request ?? '<unscoped>',
      state_changed: false,
    }),
  );
}

/** Step 10, second half: lifecycle, then mode guards. */
export function checkLifecycleAndGuards(definition: ToolDefinition, session: SessionView | null): void {
  if (session === null) return;
  const shellLike = isShellLike(definition);
  const notStarted = shellLike ? { command_started: false, execution_state: 'not_started' } : {};
  if (session.lifecycle === 'closed' && definition.effect !== 'observe' && definition.allowed_on_closed !== true) {
    refuseCall(
      failure('session_closed', 'that Session is closed; start a new one with work_on_project', {
        session_id: session.sessionId,
        state_changed: false,
        ...notStarted,
      }),
    );
  }
  const guard =
    shellLike && session.guards.deny_shell_tools
      ? 'deny_shell_tools'
      : isWriteLike(definition) && session.guards.deny_write_tools
        ? 'deny_write_tools'
        : null;
  if (guard !== null) {
    refuseCall(
      failure('session_guard_denied', `that Session's guard ${guard} refuses ${definition.name}`, {
        guard,
        mode: session.mode,
        session_id: session.sessionId,
        state_changed: false,
        ...notStarted,
      }),
    );
  }
}
