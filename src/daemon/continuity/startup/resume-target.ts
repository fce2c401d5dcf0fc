import { parseSessionId, type ProjectId } from '../../../protocol/ids.js';
import { failure, type Failure } from '../../../protocol/tool-result.js';
import type { ProjectPort, SessionPort, SessionView } from '../../kernel/ports.js';
import type { Principal } from '../../kernel/principal.js';
import { admitBusinessSession } from '../../kernel/select-sessions.js';
import { refuseCall } from '../../kernel/call-refused.js';

/**
 * The Session to resume (spec 01 §9, step 2): existence, project visibility, authority,
 * then lifecycle. It is read only, and nothing takes its place when it cannot be.
 *
 * @throws CallRefused
 */
export function resumeTarget(
  ports: { readonly sessions: SessionPort; readonly projects: ProjectPort },
  selector: string,
  principal: Principal,
): SessionView {
  if (parseSessionId(selector) === null) {
    refuseCall(
      failure('invalid_session_id', 'session_id is no Session id; use wc_sess_… or ~sN as it was given out', {
        state_changed: false,
      }),
    );
  }
  const session = admitBusinessSession(ports.sessions, ports.projects, selector, principal);
  if (session.lifecycle === 'closed') {
    refuseCall(
      failure('session_closed', 'that Session is closed; leave session_id out to start a new one', {
        session_id: session.sessionId,
        state_changed: false,
      }),
    );
  }
  return session;
}

/** The answer when Session, recorder and project of a call are not about the same project. */
export function projectMismatch(
  mismatch: 'session' | 'recorder',
  bound: ProjectId | null,
  requested: ProjectId | null,
): Failure {
  const whose = mismatch === 'session' ? 'the Session' : 'the recorder';
  return failure(
    'session_project_mismatch',
    bound === null
      ? `${whose} belongs to no project; start a new one on the project`
      : `${whose} belongs to another project than this call`,
    {
      mismatch,
      session_project: bound ?? '<unscoped>',
      ...(requested === null ? {} : { request_project: requested }),
      state_changed: false,
    },
  );
}
