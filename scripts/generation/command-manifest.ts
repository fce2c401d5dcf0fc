import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from '@oclif/core';
import { oclifArgs, oclifFlags, takesManyWords } from '../../src/commands/framework/tool-flags.js';
import { indexTool } from '../../src/commands/framework/tool-index.js';
import type { Catalog, CatalogTool } from '../../src/protocol/catalog.js';

/**
 * Where the built command modules stand, from the package's root. Every tool without a
 * command file of its own is led to the one that is made from its catalog entry.
 */
const BUILT = ['dist', 'cli', 'commands'];
const TOOL_COMMAND = 'framework/tool-command';

/**
 * `oclif.manifest.json`: what oclif knows of each command before it loads one. Hand-made
 * commands come from the files under `src/commands/`, the rest from the catalog.
 */
export async function commandManifest(catalog: Catalog, root: string): Promise<{ version: string; commands: object }> {
  const folder = join(root, 'src', 'commands');
  const commands: Record<string, object> = {};
  for (const file of await commandFiles(folder)) {
    const loaded = (await import(pathToFileURL(join(folder, file)).href)) as { default: Command.Class };
    const id = file.replace(/\.ts$/, '').replaceAll('/', ':');
    const tool = catalog.tools.find(({ command }) => command === id);
    commands[id] = ownCommand(id, file.replace(/\.ts$/, ''), loaded.default, tool);
  }
  for (const tool of catalog.tools) commands[tool.command] ??= toolCommand(tool);
  return { version: catalog.version, commands: Object.fromEntries(Object.entries(commands).sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The command modules, from their folder: one a file, topics as folders; `framework/` holds none. */
export async function commandFiles(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder, { recursive: true });
  return files
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.startsWith('framework/'))
    .sort();
}

function ownCommand(id: string, module: string, command: Command.Class, tool: CatalogTool | undefined): object {
  return {
    ...cached(id, module, command),
    endsWithProgram: (command as { endsWithProgram?: boolean }).endsWithProgram ?? false,
    ...(tool === undefined ? {} : { tool: tool.name }),
  };
}

function toolCommand(tool: CatalogTool): object {
  const shape = {
    flags: oclifFlags(tool),
    args: oclifArgs(tool),
    strict: !takesManyWords(tool),
    summary: tool.summary,
    ...(tool.cli?.program === undefined ? {} : { usage: `${tool.command} [FLAGS] -- PROGRAM [ARGUMENT...]` }),
    ...(tool.description === undefined ? {} : { description: tool.description }),
  };
  return { ...cached(tool.command, TOOL_COMMAND, shape), endsWithProgram: indexTool(tool).ends, tool: tool.name };
}

type CommandShape = Pick<Command.Class, 'flags' | 'args' | 'strict'> & Partial<Command.Class>;

function cached(id: string, module: string, command: CommandShape): object {
  const flags = { ...command.baseFlags, ...command.flags };
  return {
    aliases: command.aliases ?? [],
    args: named(command.args),
    description: command.description,
    examples: command.examples,
    flags: named(flags),
    hasDynamicHelp: false,
    hidden: command.hidden,
    hiddenAliases: command.hiddenAliases ?? [],
    id,
    pluginAlias: 'webcodex',
    pluginName: 'webcodex',
    pluginType: 'core',
    strict: command.strict,
    summary: command.summary,
    usage: command.usage,
    isESM: true,
    relativePath: [...BUILT, ...`${module}.mjs`.split('/')],
  };
}

/** Flags or arguments as data: what is a function is only needed when the command runs. */
function named(members: Command.Class['flags'] | Command.Class['args']): object {
  return Object.fromEntries(
    Object.entries(members ?? {}).map(([name, member]) => [
      name,
      { ...Object.fromEntries(Object.entries(member).filter(([, value]) => typeof value !== 'function')), name },
    ]),
  );
}
