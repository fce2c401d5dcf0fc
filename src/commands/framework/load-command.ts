import type { Command } from './oclif.js';

/**
 * The class of a command, from its module's path under `src/commands/`, e.g. `project/list`.
 * In the bundled CLI this file is a table of all commands, each of which is evaluated only
 * when it is asked for.
 */
export async function loadCommand(module: string): Promise<Command.Class> {
  const loaded = (await import(`../${module}.js`)) as { readonly default: Command.Class };
  return loaded.default;
}
