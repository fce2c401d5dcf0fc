import { isDeepStrictEqual } from 'node:util';
import type { McpClient } from './clients.js';
import type { ConfigBackups } from './backups.js';
import { configDiff } from './config-diff.js';
import { encodeFor, refuseReadOnly, replaceConfigFile } from './config-file.js';
import { setMembers, valueAt } from './config-format.js';
import { entryNamed, naming, readClientConfig, type ClientConfig, type ConfigPlaces, type Scope } from './config-of.js';
import { ConfigRefused } from './config-refused.js';
import { findProgram } from './find-program.js';
import { runOwnCommand } from './run-own-command.js';
import type { ServerEntry } from './server-entry.js';

export interface InstallOrder {
  readonly client: McpClient;
  readonly scope: Scope;
  readonly name: string;
  readonly entry: ServerEntry;
  /** Change the file also where the client has a command for it. */
  readonly byFile: boolean;
}

/** What an install would do. */
export interface InstallPlan {
  readonly action: 'added' | 'updated' | 'unchanged';
  readonly order: InstallOrder;
  readonly config: ClientConfig;
  /** The document afterwards. */
  readonly text: string;
  /** What changes in it; '' where nothing does. */
  readonly diff: string;
  /** The client's own commands that bring it about; empty where the file is changed directly. */
  readonly commands: readonly (readonly string[])[];
}

/** Finds out what an install would do. Throws ConfigRefused, and changes nothing. */
export async function planInstall(order: InstallOrder, places: ConfigPlaces): Promise<InstallPlan> {
  const { client, name } = order;
  const config = await readClientConfig(client, order.scope, places);
  const found = entryNamed(config, name);
  if (found.kind === 'other') {
    throw new ConfigRefused(`${config.file.path} has another server called "${name}".`, 'Give ours another name with --name, or remove that one.');
  }
  const members = client.shape.write(withPassed(order, places.env));
  const text = naming(config.file, () => setMembers(config.format, config.file.text, [client.shape.servers, name], members));
  const isSame = text === config.file.text;
  if (!isSame) await refuseReadOnly(config.file);
  const action = isSame ? 'unchanged' : found.kind === 'none' ? 'added' : 'updated';
  const commands = isSame ? [] : ownCommands(order, places, action === 'updated');
  return { action, order, config, text, diff: configDiff(config.file, text), commands };
}

/** Does it. Returns the backup of what was there before, null where there was no file. */
export async function install(plan: InstallPlan, backups: ConfigBackups, places: ConfigPlaces): Promise<string | null> {
  if (plan.action === 'unchanged') return null;
  const { config, order } = plan;
  const backup = await backups.keep(order.client.id, config.file);
  if (plan.commands.length > 0) {
    for (const command of plan.commands) await runOwnCommand(command, places.env);
    await refuseUnlessWritten(plan, places);
    // The client wrote more than the entry: to go back to before would lose that.
    await backups.forget(order.client.id, config.file);
    return backup;
  }
  const left = encodeFor(config.file, plan.text);
  await replaceConfigFile(config.file, left);
  await backups.remember(order.client.id, config.file, { backup, left, hadEntry: plan.action === 'updated' });
  return backup;
}

/** The entry with the variables that are to be passed on, in the way that this client and scope have. */
function withPassed({ client, scope, entry }: InstallOrder, env: ConfigPlaces['env']): ServerEntry {
  if (client.format === 'toml') return entry;
  const refer = scope === 'project' ? (client.projectReference ?? client.reference) : client.reference;
  const passed = entry.passed.flatMap((name): [string, string][] => {
    if (refer !== undefined) return [[name, refer(name)]];
    // What is this user's today has no place in a file that a project shares.
    return scope === 'user' ? [[name, env[name] ?? '']] : [];
  });
  return { ...entry, env: { ...entry.env, ...Object.fromEntries(passed) }, passed: [] };
}

function ownCommands(order: InstallOrder, places: ConfigPlaces, isThere: boolean): InstallPlan['commands'] {
  const own = order.client.ownCommand;
  const program = own === undefined || order.scope === 'project' || order.byFile ? null : findProgram(own.program, places.env['PATH']);
  if (own === undefined || program === null) return [];
  const add = [program, ...own.add(order.name, withPassed(order, places.env))];
  return isThere ? [[program, ...own.remove(order.name)], add] : [add];
}

async function refuseUnlessWritten({ order, text, config }: InstallPlan, places: ConfigPlaces): Promise<void> {
  const path = [order.client.shape.servers, order.name];
  const { file, format } = await readClientConfig(order.client, order.scope, places);
  if (isDeepStrictEqual(valueAt(format.read(file.text), path), valueAt(config.format.read(text), path))) return;
  throw new ConfigRefused(`${order.client.title} ended well, and ${file.path} does not hold the entry.`, 'Try again with --edit, which changes the file directly.');
}
