import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from '@oclif/core';
import ToolCommand from '../../src/commands/framework/tool-command.js';
import { oclifArgs, oclifFlags, takesManyWords } from '../../src/commands/framework/tool-flags.js';
import { indexTool } from '../../src/commands/framework/tool-index.js';
import type { Catalog, CatalogTool } from '../../src/protocol/catalog.js';

/**
 * Where `tsc` puts the command modules, from the package's root; the bundled CLI knows them by these names. Every tool without a
 * command file of its own is led to the one that is made from its catalog entry.
 */
const BUILT = ['dist', 'commands'];
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
    commands[id] = ownCommand(catalog, id, file.replace(/\.ts$/, ''), loaded.default);
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

/** A command file: its own flags, and those of the tool that it makes handy, if it is one of these. */
function ownCommand(catalog: Catalog, id: string, module: string, command: Command.Class): object {
  const { tool: renamed, endsWithProgram = false } = command as { tool?: string; endsWithProgram?: boolean };
  const tool = command.prototype instanceof ToolCommand ? catalog.tools.find((entry) => entry.command === (renamed ?? id)) : undefined;
  const shape = tool === undefined ? command : { ...toolShape(tool), ...statics(command), flags: { ...oclifFlags(tool), ...command.flags } };
  return { ...cached(id, module, shape), endsWithProgram };
}

function toolCommand(tool: CatalogTool): object {
  return { ...cached(tool.command, TOOL_COMMAND, toolShape(tool)), endsWithProgram: indexTool(tool).ends, tool: tool.name };
}

function toolShape(tool: CatalogTool): CommandShape {
  return {
    flags: oclifFlags(tool),
    args: oclifArgs(tool),
    strict: !takesManyWords(tool),
    summary: tool.summary,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    ...(tool.cli?.program?.executable === undefined ? {} : { usage: `${tool.command} [FLAGS] -- PROGRAM [ARGUMENT...]` }),
  };
}

/** What a command file says of itself, where it says something. */
function statics({ summary, description, examples, usage, args }: Command.Class): Partial<CommandShape> {
  return Object.fromEntries(
    Object.entries({ summary, description, examples, usage, ...(Object.keys(args).length === 0 ? {} : { args }) }).filter(
      ([, value]) => value !== undefined,
    ),
  );
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
    relativePath: [...BUILT, ...`${module}.js`.split('/')],
  };
}

/** Flags or arguments as data: what is a function is only needed when the command runs. */
function named(members: Readonly<Record<string, object>>): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      { ...Object.fromEntries(Object.entries(member).filter(([, value]) => typeof value !== 'function')), name },
    ]),
  );
}
