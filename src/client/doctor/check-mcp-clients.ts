import { listConfigs, type ListedConfig } from '../mcp-clients/list.js';
import type { ConfigPlaces } from '../mcp-clients/config-of.js';
import { startEntry } from '../mcp-clients/start-entry.js';
import { duration } from '../render/units.js';
import { broken, ok, warning, type Finding } from './finding.js';

/** Each client's entry, started as the client would. */
export async function checkMcpClients(places: ConfigPlaces, stateFolder: string): Promise<readonly Finding[]> {
  const configs = (await listConfigs('wc', places)).filter(({ state, present }) => state !== 'absent' && (state !== 'unreadable' || present));
  if (configs.length === 0) return [ok('mcp', 'no MCP client has wc; `wc mcp install CLIENT` sets one up')];
  return Promise.all(configs.map((config) => checkConfig(config, places, stateFolder)));
}

async function checkConfig(config: ListedConfig, places: ConfigPlaces, stateFolder: string): Promise<Finding> {
  const { client, title, scope, file, state, problem, entry } = config;
  const check = `mcp_${client.replaceAll('-', '_')}${scope === 'project' ? '_project' : ''}`;
  const again = `wc mcp install ${client}${scope === 'project' ? ' --project' : ''}`;
  if (state === 'unreadable') return broken(check, problem ?? file, `Mend it: ${title} may not read it either.`);
  if (entry === null) return ok(check, `${file} has another server called wc`);
  const started = await startEntry(entry, places);
  if (!started.ok) return broken(check, `${title}: the entry in ${file} does not work: ${started.reason}`, `Write it anew: ${again}`);
  const detail = `${title}: ${started.tools} tools in ${duration(started.ms)}, by ${file}`;
  const folder = entry.env['WC_HOME'];
  if (folder !== undefined && folder !== stateFolder) {
    return warning(check, `${detail}; it uses the state folder ${folder}, and this terminal ${stateFolder}`, `If they shall share one: ${again}`);
  }
  return ok(check, detail);
}
