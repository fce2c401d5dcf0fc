import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { MCP_CLIENTS, type ClientId, type McpClient } from './clients.js';
import { configPath, entryNamed, readClientConfig, type ConfigPlaces, type Scope } from './config-of.js';
import { ConfigRefused } from './config-refused.js';
import type { ServerEntry } from './server-entry.js';

/** What one configuration says of our server. */
export interface ListedConfig {
  readonly client: ClientId;
  readonly title: string;
  readonly scope: Scope;
  readonly file: string;
  /** `absent`: no entry of that name; `other`: another server has it; `unreadable`: nobody can tell. */
  readonly state: 'installed' | 'absent' | 'other' | 'unreadable';
  /** The client, or this project's settings for it, seem to be there. */
  readonly present: boolean;
  /** Why it can not be read. */
  readonly problem: string | null;
  readonly entry: ServerEntry | null;
}

/**
 * What the clients' configurations say under `name`: the user's of each client, and those
 * of the project where it has any.
 */
export async function listConfigs(name: string, places: ConfigPlaces, clients: readonly McpClient[] = MCP_CLIENTS): Promise<readonly ListedConfig[]> {
  const wanted = clients.flatMap((client) => (['user', 'project'] as const).map((scope) => ({ client, scope, path: configPath(client, scope, places) })));
  const listed = await Promise.all(wanted.map(({ client, scope, path }) => (path === null ? Promise.resolve(null) : listConfig(name, client, scope, path, places))));
  return listed.filter((one): one is ListedConfig => one !== null && (one.scope === 'user' || existsSync(one.file)));
}

async function listConfig(name: string, client: McpClient, scope: Scope, path: string, places: ConfigPlaces): Promise<ListedConfig> {
  const facts = { client: client.id, title: client.title, scope, file: path, present: existsSync(path) || (dirname(path) !== places.home && existsSync(dirname(path))) };
  try {
    const found = entryNamed(await readClientConfig(client, scope, places), name);
    const state = ({ none: 'absent', ours: 'installed', other: 'other' } as const)[found.kind];
    return { ...facts, state, problem: null, entry: found.kind === 'ours' ? found.entry : null };
  } catch (error) {
    if (!(error instanceof ConfigRefused)) throw error;
    return { ...facts, state: 'unreadable', problem: error.message, entry: null };
  }
}
