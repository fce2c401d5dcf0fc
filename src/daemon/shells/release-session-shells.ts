import type { SessionId } from '../../protocol/ids.js';
import { releaseShellsMethod } from '../../protocol/runner/shells.js';
import type { RunnerPort } from '../runner-link/index.js';

/**
 * Ends the shells of a Session whose close is durable; how many there were. A Runner that
 * cannot be reached does not hold up the close: a closed Session runs no command, and what
 * is left of its shell ends when it was idle for long enough.
 */
export async function releaseSessionShells(runner: RunnerPort, sessionId: SessionId): Promise<number> {
  const released = await runner.call(releaseShellsMethod, { session_id: sessionId, reason: 'session_closed' });
  return 'failure' in released ? 0 : released.answer.closed;
}
