import type { SessionId } from '../../protocol/ids.js';
import { releaseConnectionsMethod } from '../../protocol/runner/ssh.js';
import type { RunnerPort } from '../runner-link/index.js';

/**
 * Lets go of the connections of a Session whose close is durable. A Runner that cannot be
 * reached does not hold up the close: a connection that nobody uses ends by itself.
 */
export async function releaseSessionConnections(runner: RunnerPort, sessionId: SessionId): Promise<void> {
  await runner.call(releaseConnectionsMethod, { session_id: sessionId });
}
