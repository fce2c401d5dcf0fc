import type { ServerEntry } from './server-entry.js';

/** A client's own command line for its servers. */
export interface OwnCommand {
  readonly program: string;
  add(name: string, entry: ServerEntry): readonly string[];
  remove(name: string): readonly string[];
}

/**
 * Claude Code's. It keeps live state in the file of its servers and writes it while it runs,
 * so that only its own command is sure not to be overwritten. `add-json` refuses a name that is
 * taken: an entry is removed before it is added anew.
 *
 * The commands of other clients are not used: Codex's drops comments (measured, 0.171), VS Code's
 * adds and never removes, opencode's asks questions, and none can show beforehand what it would do.
 */
export const claudeCommand: OwnCommand = {
  program: 'claude',
  add: (name, { command, args, env }) => ['mcp', 'add-json', '--scope', 'user', name, JSON.stringify({ type: 'stdio', command, args, env })],
  remove: (name) => ['mcp', 'remove', '--scope', 'user', name],
};
