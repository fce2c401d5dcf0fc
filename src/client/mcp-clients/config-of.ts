import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { McpClient, UserPlaces } from './clients.js';
import { readConfigFile, type ConfigFile } from './config-file.js';
import { valueAt, type ConfigFormat } from './config-format.js';
import { ConfigRefused } from './config-refused.js';
import { isRecord } from './json-values.js';
import { jsoncConfig } from './jsonc-config.js';
import { startsWcMcp, type ServerEntry } from './server-entry.js';
import { tomlConfig } from './toml-config.js';

export type Scope = 'user' | 'project';

/** Where configurations are: the user's, and those of the project that the person stands in. */
export interface ConfigPlaces extends UserPlaces {
  readonly projectRoot: string;
}

/** What stands under a server's name. */
export type FoundEntry =
  | { readonly kind: 'none' }
  /** Starts `wc mcp`. */
  | { readonly kind: 'ours'; readonly entry: ServerEntry }
  /** Another server, or one in a form that is none of ours. */
  | { readonly kind: 'other' };

/** One configuration of one client, read. */
export interface ClientConfig {
  readonly client: McpClient;
  readonly scope: Scope;
  readonly format: ConfigFormat;
  readonly file: ConfigFile;
}

/** The configuration file of that scope, or null where the client has none. */
export function configPath(client: McpClient, scope: Scope, places: ConfigPlaces): string | null {
  const files = scope === 'user' ? client.userFiles(places) : client.projectFiles.map((name) => join(places.projectRoot, name));
  return files.find((path) => existsSync(path)) ?? files.at(-1) ?? null;
}

/** Reads a client's configuration. Throws ConfigRefused where there is none, or none that can be read. */
export async function readClientConfig(client: McpClient, scope: Scope, places: ConfigPlaces): Promise<ClientConfig> {
  const path = configPath(client, scope, places);
  if (path === null) throw new ConfigRefused(`${client.title} has no configuration of a project.`, 'Leave --project out.');
  const file = await readConfigFile(path);
  return { client, scope, format: client.format === 'toml' ? tomlConfig : jsoncConfig, file };
}

/** What stands under that name. Throws ConfigRefused for a document that can not be read. */
export function entryNamed({ client, format, file }: ClientConfig, name: string): FoundEntry {
  const value = naming(file, () => valueAt(format.read(file.text), [client.shape.servers, name]));
  if (value === undefined) return { kind: 'none' };
  const entry = isRecord(value) ? client.shape.read(value) : null;
  return entry !== null && startsWcMcp(entry) ? { kind: 'ours', entry } : { kind: 'other' };
}

/** Lets a refusal say which file it is about. */
export function naming<Result>({ path }: ConfigFile, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigRefused && !error.message.startsWith(path)) throw new ConfigRefused(`${path}: ${error.message}`, error.hint);
    throw error;
  }
}
