import type { Domain } from '../domain.js';
import { manageSshResource, type ManageDeps } from './tools/manage-ssh-resource.js';

export { releaseSessionConnections } from './release-session-connections.js';

/** The hosts that Sessions may work on, by name; the connections to them are the Runner's (spec 03 §11). */
export function createSshDomain(deps: ManageDeps): Domain {
  return {
    name: 'ssh',
    tools: [manageSshResource(deps)],
    status: () => ({ resources: Object.keys(deps.configuration.settings.ssh.resources).length }),
  };
}
