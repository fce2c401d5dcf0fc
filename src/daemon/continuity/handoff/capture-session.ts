import type { SessionId } from '../../../protocol/ids.js';
import type { SessionView } from '../../kernel/ports.js';
import type { ReportsPort } from '../../external-observations/index.js';
import type { BoardSnapshot, SessionFence, SessionsDomain, SessionSnapshot } from '../../sessions/index.js';
import { taskHistory, type TaskHistory } from '../evidence/task-history.js';
import { readBoard } from '../read-board.js';
import type { CapturedReports } from './external-section.js';

export interface CaptureDeps {
  readonly sessions: SessionsDomain;
  readonly reports: ReportsPort;
  /** Told of a fault of ours that the caller only learns the place of. */
  readonly onFault: (error: unknown) => void;
}

/** A Session at one moment: its tail, its board, its reports, and the fence that says which moment. */
export interface CapturedSession {
  readonly snapshot: SessionSnapshot;
  /** Null when the tail could not be projected. */
  readonly history: TaskHistory | null;
  readonly board: BoardSnapshot | null;
  readonly reports: CapturedReports;
  readonly fence: SessionFence;
}

/** Captures a Session in one turn of the event loop, so that nothing comes between its parts; null when it is not retained. */
export function captureSession(deps: CaptureDeps, session: SessionView): CapturedSession | null {
  const { sessions, onFault } = deps;
  const { sessionId } = session;
  const fence = sessions.fence(sessionId);
  if (fence === null) return null;
  const tail = captureTail(deps, session, fence);
  return { ...tail, board: readBoard(sessions, sessionId, onFault), reports: captureReports(deps, session), fence };
}

/** What the store says of a Session's external reports now. */
export function captureReports({ reports }: CaptureDeps, { sessionId, project }: Pick<SessionView, 'sessionId' | 'project'>): CapturedReports {
  if (project === null) return { unavailable: 'session_project_unavailable' };
  const found = reports.ofSession(sessionId);
  return found === null ? { unavailable: 'store_unavailable' } : { reports: found };
}

/** Whether something of the Session changed since it was captured. */
export function sessionChanged({ sessions }: CaptureDeps, sessionId: SessionId, before: SessionFence): boolean {
  const now = sessions.fence(sessionId);
  return (
    now === null || now.eventsObserved !== before.eventsObserved || now.messageObservationRevision !== before.messageObservationRevision
  );
}

/** A tail that cannot be read leaves a Session of which only the head is known. */
function captureTail(
  { sessions, onFault }: CaptureDeps,
  session: SessionView,
  { eventsObserved }: SessionFence,
): Pick<CapturedSession, 'snapshot' | 'history'> {
  try {
    const snapshot = sessions.snapshot(session.sessionId);
    if (snapshot !== null) return { snapshot, history: taskHistory(snapshot) };
  } catch (error) {
    onFault(error);
  }
  const known = { eventsObserved, firstRetainedSequence: eventsObserved, repositoryEditObserved: false, gitBaselineTree: null };
  return { snapshot: { session, events: [], ...known }, history: null };
}
