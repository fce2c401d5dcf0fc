import type { SessionId, WindowKey } from '../../protocol/ids.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import type { MaterialCall } from '../kernel/collaboration-ports.js';
import type { ProjectPort, SessionPort, SessionView } from '../kernel/ports.js';
import type { Principal } from '../kernel/principal.js';
import { usableSession } from '../kernel/select-sessions.js';
import type { ProjectsAtWork } from '../projects/index.js';
import type { Material } from './material.js';

const CANDIDATES_MAX = 8;

export interface ResumeParts {
  readonly sessions: SessionPort;
  readonly projects: ProjectPort & Pick<ProjectsAtWork, 'projectRef'>;
  /** The Sessions that a window was tied to, the latest first. */
  readonly linkedSessions: (window: WindowKey, principal: Principal) => readonly SessionId[];
}

/**
 * `workflow.resume`: the Active Sessions that this window was tied to and that its caller may
 * use now. They are candidates: the caller chooses, and nothing is resumed by it.
 */
export async function resumeCandidates(parts: ResumeParts, { window, principal }: MaterialCall): Promise<Material> {
  if (window === null) return { reason: 'client_window_unavailable' };
  if (principal.authority === null || principal.authority.kind === 'anonymous') return { reason: 'principal_unavailable' };
  const linked = readLinks(parts, window, principal);
  if (linked === null) return { reason: 'window_activity_unavailable' };
  const candidates: JsonObject[] = [];
  let more = false;
  for (const sessionId of linked) {
    const session = usableSession(parts.sessions, parts.projects, sessionId, principal);
    if (session?.lifecycle !== 'active') continue;
    if (candidates.length === CANDIDATES_MAX) {
      more = true;
      break;
    }
    candidates.push(await candidate(parts, session, principal));
  }
  const [only] = candidates;
  return {
    projection: {
      semantics: 'candidates_the_caller_chooses_from',
      candidates,
      truncated: more,
      ...(candidates.length === 1 && only !== undefined
        ? {
            suggested_call: {
              follow_up_kind: 'mechanically_followable',
              tool: 'read_session_handoff',
              arguments: { session_id: only['session_id'] ?? null },
            },
          }
        : {}),
    },
  };
}

function readLinks({ linkedSessions }: ResumeParts, window: WindowKey, principal: Principal): readonly SessionId[] | null {
  try {
    return linkedSessions(window, principal);
  } catch {
    return null;
  }
}

async function candidate({ sessions, projects }: ResumeParts, session: SessionView, principal: Principal): Promise<JsonObject> {
  const sessionRef = sessions.refFor(session.sessionId, principal);
  const resolved = session.project === null ? null : projects.resolve(session.project, principal);
  const project = resolved !== null && 'project' in resolved ? resolved.project : null;
  return {
    session_id: session.sessionId,
    ...(sessionRef === null ? {} : { session_ref: sessionRef }),
    project: session.project,
    ...(project === null ? {} : { project_ref: await projects.projectRef(project, principal) }),
    title: session.title,
    updated_at: session.updatedAt,
  };
}
