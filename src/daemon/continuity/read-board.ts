import type { SessionId } from '../../protocol/ids.js';
import type { BoardSnapshot, SessionsDomain } from '../sessions/index.js';

/**
 * The board of a Session. One that cannot be read is null, which is not an empty one.
 *
 * @param onFault told why
 */
export function readBoard(
  sessions: Pick<SessionsDomain, 'board'>,
  sessionId: SessionId,
  onFault: (error: unknown) => void,
): BoardSnapshot | null {
  try {
    return sessions.board(sessionId);
  } catch (error) {
    onFault(error);
    return null;
  }
}
