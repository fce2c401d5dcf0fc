import { join } from 'node:path';
import { codexShape, commonShape, opencodeShape, type EntryShape } from './entry-shapes.js';
import type { OwnCommand } from './own-command.js';
import { claudeCommand } from './own-command.js';

export const CLIENT_IDS = ['claude-code', 'codex', 'cursor', 'vscode', 'claude-desktop', 'gemini', 'zed', 'opencode'] as const;
export type ClientId = (typeof CLIENT_IDS)[number];

/** Where a user's configuration is looked for. */
export interface UserPlaces {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** An MCP client: where it keeps its servers, and in which form. */
export interface McpClient {
  readonly id: ClientId;
  readonly title: string;
  readonly format: 'jsonc' | 'toml';
  readonly shape: EntryShape;
  /** The user's configuration; the first that exists counts, else the last is made. */
  userFiles(places: UserPlaces): readonly string[];
  /** The same of a project, from its root; empty where there is none. */
  readonly projectFiles: readonly string[];
  /** How a value refers to a variable of the client's own environment, where that is documented. */
  readonly reference?: (name: string) => string;
  /** The same, where it only holds for a project's file. */
  readonly projectReference?: (name: string) => string;
  /** Used for the user's configuration where the program is on PATH. */
  readonly ownCommand?: OwnCommand;
  /** What the person has to do until the client knows the server. */
  readonly then: string;
}

/** All clients that `wc mcp install` knows. */
export const MCP_CLIENTS: readonly McpClient[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    format: 'jsonc',
    shape: commonShape('mcpServers', { type: 'stdio' }),
    userFiles: ({ home, env }) => [join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json')],
    projectFiles: ['.mcp.json'],
    projectReference: (name) => `\${${name}:-}`,
    ownCommand: claudeCommand,
    then: 'Start a new conversation; /mcp shows the server.',
  },
  {
    id: 'codex',
    title: 'Codex',
    format: 'toml',
    shape: codexShape,
    userFiles: ({ home, env }) => [join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml')],
    projectFiles: ['.codex/config.toml'],
    then: 'Start Codex anew; `codex mcp list` shows the server. A project\'s file counts only where the project is trusted.',
  },
  {
    id: 'cursor',
    title: 'Cursor',
    format: 'jsonc',
    shape: commonShape('mcpServers'),
    userFiles: ({ home }) => [join(home, '.cursor', 'mcp.json')],
    projectFiles: ['.cursor/mcp.json'],
    reference: (name) => `\${env:${name}}`,
    then: 'Cursor reads it by itself; turn the server on in its settings, under MCP.',
  },
  {
    id: 'vscode',
    title: 'VS Code',
    format: 'jsonc',
    shape: commonShape('servers', { type: 'stdio' }),
    userFiles: (places) => [join(applicationData(places), 'Code', 'User', 'mcp.json')],
    projectFiles: ['.vscode/mcp.json'],
    reference: (name) => `\${env:${name}}`,
    then: 'Start the server with "MCP: List Servers".',
  },
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    format: 'jsonc',
    shape: commonShape('mcpServers'),
    userFiles: (places) => [join(applicationData(places), 'Claude', 'claude_desktop_config.json')],
    projectFiles: [],
    then: 'Quit Claude Desktop and start it anew.',
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    format: 'jsonc',
    shape: commonShape('mcpServers'),
    userFiles: ({ home }) => [join(home, '.gemini', 'settings.json')],
    projectFiles: ['.gemini/settings.json'],
    reference: (name) => `$${name}`,
    then: 'Start Gemini CLI anew; /mcp shows the server. It starts servers in trusted folders only.',
  },
  {
    id: 'zed',
    title: 'Zed',
    format: 'jsonc',
    shape: commonShape('context_servers'),
    userFiles: ({ home, env }) => [join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'zed', 'settings.json')],
    projectFiles: ['.zed/settings.json'],
    then: 'Zed reads it by itself; the server shows in the settings of its agent panel.',
  },
  {
    id: 'opencode',
    title: 'opencode',
    format: 'jsonc',
    shape: opencodeShape,
    userFiles: ({ home, env }) => {
      const folder = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode');
      return [join(folder, 'opencode.jsonc'), join(folder, 'opencode.json')];
    },
    projectFiles: ['opencode.jsonc', 'opencode.json'],
    reference: (name) => `{env:${name}}`,
    then: 'Start opencode anew.',
  },
];

/** The client of that id. */
export function clientOf(id: ClientId): McpClient {
  const found = MCP_CLIENTS.find((client) => client.id === id);
  if (found === undefined) throw new Error(`no client is called ${id}`);
  return found;
}

function applicationData({ home, platform, env }: UserPlaces): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return env['XDG_CONFIG_HOME'] || join(home, '.config');
}
