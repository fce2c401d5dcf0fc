import { isSessionRefAttempt, parseSessionId, type SessionId } from '../../protocol/ids.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import { CallRefused, refuseCall } from './call-refused.js';
import type { ProjectPort, SessionPort, SessionView } from './ports.js';
import type { Principal } from './principal.js';
import type { Tool } from './tool.js';

/** An id that was never issued, or that somebody else's tombstone holds: the two look alike. */
export function unknownSession(): Failure {
  return failure('unknown_session_id', 'there is no such Workflow Session; list_sessions shows yours');
}

/** Step 4: raw selector resolved, then existence, project visibility, authority, in this order. */
export function authorizeRecorder(
  sessions: SessionPort,
  projects: ProjectPort,
  raw: string | null,
  principal: Principal,
): SessionView | null {
  if (raw === null) return null;
  const selected = sessions.resolveSelector(raw, principal);
  if ('failure' in selected) return refuseCall(selected.failure);
  if ('malformed' in selected) return refuseCall(unknownSession());
  return existingSession(sessions, projects, selected.resolved, principal);
}

/**
 * Step 7: the business `session_id` of a call, raw selector to canonical id. A canonical
 * id's existence is a later question; a malformed one is left to the step or tool that
 * has its own kind for it.
 */
export function canonicalizeSelector(
  sessions: SessionPort,
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  principal: Principal,
): Readonly<Record<string, unknown>> {
  const raw = args['session_id'];
  if (tool.definition.session === 'none' || typeof raw !== 'string' || !isSessionRefAttempt(raw)) return args;
  const selected = sessions.resolveSelector(raw, principal);
  if ('failure' in selected) return refuseCall(selected.failure);
  if ('malformed' in selected) return args;
  return { ...args, session_id: selected.resolved };
}

/** The business Session of step 10: existence, project visibility, authority, in this order. */
export function admitBusinessSession(
  sessions: SessionPort,
  projects: ProjectPort,
  raw: string,
  principal: Principal,
): SessionView {
  const sessionId = parseSessionId(raw) ?? refuseCall(unknownSession());
  return existingSession(sessions, projects, sessionId, principal);
}

/** A Session that the caller may use now, or null: what a refusal would say is not asked for. */
export function usableSession(
  sessions: SessionPort,
  projects: ProjectPort,
  sessionId: SessionId,
  principal: Principal,
): SessionView | null {
  try {
    return existingSession(sessions, projects, sessionId, principal);
  } catch (error) {
    if (error instanceof CallRefused) return null;
    throw error;
  }
}

function existingSession(
  sessions: SessionPort,
  projects: ProjectPort,
  sessionId: SessionId,
  principal: Principal,
): SessionView {
  const found = sessions.lookUp(sessionId, principal);
  if (found.found === 'nothing') return refuseCall(unknownSession());
  if (found.found === 'expired') {
    return refuseCall(
      failure('session_retention_expired', 'that Session was closed and has left the bounded history', {
        session_id: found.sessionId,
        state_changed: false,
      }),
    );
  }
  const { session } = found;
  if (session.project !== null && !projects.isVisible(session.project, principal)) {
    return refuseCall(unknownSession());
  }
  if (principal.fingerprint === null || session.ownerFingerprint !== principal.fingerprint) {
    return refuseCall(
      failure('session_authority_denied', 'that Session belongs to another authority; only its owner may use it', {
        state_changed: false,
      }),
    );
  }
  return session;
}
