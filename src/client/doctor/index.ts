/** The only door of the doctor: everything that `wc` stands on, looked at. */
import type { Health } from '../../protocol/api.js';
import { packageRoot } from '../package-root.js';
import type { ConfigPlaces } from '../mcp-clients/config-of.js';
import { locateState } from '../state.js';
import { askDaemon, checkDaemon } from './check-daemon.js';
import { checkInstallation } from './check-installation.js';
import { checkMcpClients } from './check-mcp-clients.js';
import { checkPath } from './check-path.js';
import { checkPrograms } from './check-programs.js';
import { checkService } from './check-service.js';
import { checkStateFolder } from './check-state-folder.js';
import type { Finding } from './finding.js';
import { ClientError } from '../client-error.js';

export type { Finding } from './finding.js';

export interface DoctorInputs {
  readonly places: ConfigPlaces;
  /** Finds the daemon that runs, and starts none. */
  readonly find: () => Promise<Health | null>;
}

/** Looks at everything, at once where it can, and starts no daemon. The findings are in a fixed order. */
export async function examine({ places, find }: DoctorInputs): Promise<readonly Finding[]> {
  const { env } = places;
  const state = locateState(env);
  const answer = await askDaemon(find);
  const pid = answer === null || answer instanceof ClientError ? null : answer.pid;
  const groups = await Promise.all([
    checkInstallation(packageRoot(), env['PATH']),
    checkStateFolder(state, pid),
    Promise.resolve(checkDaemon(state, answer)),
    checkPath(env).then((finding) => [finding]),
    Promise.all(checkPrograms(env['PATH'])),
    checkService(places, state.paths.folder).then((finding) => [finding]),
    checkMcpClients(places, state.paths.folder),
  ]);
  return groups.flat();
}
