import type { Domain } from '../domain.js';
import type { SessionPort } from '../kernel/ports.js';
import type { RunnerPort } from '../runner-link/index.js';
import { closeSessionShell } from './tools/close-session-shell.js';
import { executeSessionShell } from './tools/execute-session-shell.js';
import { getSessionShellStatus } from './tools/get-session-shell-status.js';
import { openSessionShell } from './tools/open-session-shell.js';

export { releaseSessionShells } from './release-session-shells.js';

/**
 * The tools of persistent shells (spec 03 §10). The shells themselves are the Runner's,
 * which alone knows which ones there are: a restart of the daemon changes nothing.
 */
export function createShellsDomain(deps: { readonly runner: RunnerPort; readonly sessions: Pick<SessionPort, 'lookUp'> }): Domain {
  return {
    name: 'shells',
    tools: [openSessionShell(deps), executeSessionShell(deps), getSessionShellStatus(deps), closeSessionShell(deps)],
  };
}
