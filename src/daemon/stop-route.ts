import { z } from 'zod';
import { operatorError, type OperatorRoute } from './operator-route.js';

/** How the daemon ends: with its Runner and all Jobs, or leaving those to the next daemon. */
export type StopHow = 'shutdown' | 'leave';

const body = z.strictObject({ runner: z.enum(['shutdown', 'leave']).default('shutdown') });

/** `POST /api/daemon/stop`, for the owner of the socket: answered first, carried out then. */
export function stopRoute(stop: (how: StopHow) => void): OperatorRoute {
  return {
    method: 'POST',
    path: '/api/daemon/stop',
    handle: async (raw, principal) => {
      if (principal.credential !== 'local_owner' || !principal.scopes.has('runner:manage')) {
        return operatorError(403, 'operator_only', 'only the owner of this daemon may stop it', 'use wc daemon stop in a terminal');
      }
      const parsed = body.safeParse(raw ?? {});
      if (!parsed.success) {
        return operatorError(400, 'invalid_arguments', 'the body takes runner: shutdown or leave', 'send {} to stop both');
      }
      setImmediate(() => stop(parsed.data.runner));
      return { status: 200, body: { stopping: true, pid: process.pid } };
    },
  };
}
