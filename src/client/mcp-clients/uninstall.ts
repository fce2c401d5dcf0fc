import type { McpClient } from './clients.js';
import type { ConfigBackups } from './backups.js';
import { configDiff } from './config-diff.js';
import { encodeFor, refuseReadOnly, replaceConfigFile } from './config-file.js';
import { removeMembers } from './config-format.js';
import { entryNamed, naming, readClientConfig, type ClientConfig, type ConfigPlaces, type Scope } from './config-of.js';
import { ConfigRefused } from './config-refused.js';
import { findProgram } from './find-program.js';
import { runOwnCommand } from './run-own-command.js';

export interface UninstallOrder {
  readonly client: McpClient;
  readonly scope: Scope;
  readonly name: string;
  readonly byFile: boolean;
}

/** What an uninstall would do. */
export interface UninstallPlan {
  /** `restored`: the file as it was before the install, to the byte. */
  readonly action: 'removed' | 'restored' | 'absent';
  readonly order: UninstallOrder;
  readonly config: ClientConfig;
  /** The file afterwards; null where there is to be none. */
  readonly bytes: Buffer | null;
  readonly diff: string;
  readonly commands: readonly (readonly string[])[];
}

/** Finds out what an uninstall would do. Throws ConfigRefused, and changes nothing. */
export async function planUninstall(order: UninstallOrder, backups: ConfigBackups, places: ConfigPlaces): Promise<UninstallPlan> {
  const { client, name } = order;
  const config = await readClientConfig(client, order.scope, places);
  const { file, format } = config;
  const found = entryNamed(config, name);
  if (found.kind === 'none') return { action: 'absent', order, config, bytes: file.bytes, diff: '', commands: [] };
  if (found.kind === 'other') {
    throw new ConfigRefused(`"${name}" in ${file.path} is another server, which is left alone.`, '--name says what ours is called.');
  }
  await refuseReadOnly(file);
  const original = await backups.original(client.id, file);
  if (original !== null) {
    return { action: 'restored', order, config, bytes: original.bytes, diff: configDiff(file, original.bytes?.toString('utf8') ?? ''), commands: [] };
  }
  const text = naming(file, () => removeMembers(format, file.text, [client.shape.servers, name]));
  return { action: 'removed', order, config, bytes: encodeFor(file, text), diff: configDiff(file, text), commands: ownCommands(order, places) };
}

/** Does it. Returns the backup of what was there before. */
export async function uninstall(plan: UninstallPlan, backups: ConfigBackups, places: ConfigPlaces): Promise<string | null> {
  if (plan.action === 'absent') return null;
  const { client } = plan.order;
  const backup = await backups.keep(client.id, plan.config.file);
  for (const command of plan.commands) await runOwnCommand(command, places.env);
  if (plan.commands.length === 0) await replaceConfigFile(plan.config.file, plan.bytes);
  await backups.forget(client.id, plan.config.file);
  return backup;
}

function ownCommands({ client, scope, name, byFile }: UninstallOrder, places: ConfigPlaces): UninstallPlan['commands'] {
  const own = client.ownCommand;
  const program = own === undefined || scope === 'project' || byFile ? null : findProgram(own.program, places.env['PATH']);
  return own === undefined || program === null ? [] : [[program, ...own.remove(name)]];
}
