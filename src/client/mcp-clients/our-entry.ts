import { join, resolve } from 'node:path';
import { ConfigRefused } from './config-refused.js';
import { CLI_FILE, type ServerEntry } from './server-entry.js';

/** Folders of the user that a client might not pass on; they seldom change. */
const FOLDERS = ['XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME'];
/** What is another one after each login, so that a client that can refer to it should. */
const OF_A_LOGIN = ['SSH_AUTH_SOCK'];

export interface OurEntryInputs {
  /** The Node that shall run the server, as an absolute path. */
  readonly node: string;
  /** The folder of this package. */
  readonly packageRoot: string;
  readonly stateFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `project` entries may be shared, so they hold as little of this user as can be. */
  readonly scope: 'user' | 'project';
}

/**
 * The entry of this installation (spec 00, decision 52): absolute paths, since clients start
 * servers with little of a shell's PATH, and the variables that most of them leave out, so
 * that the same daemon is found from everywhere.
 *
 * @throws ConfigRefused where the package lies in a cache that is emptied now and then
 */
export function ourEntry({ node, packageRoot, stateFolder, env, scope }: OurEntryInputs): ServerEntry {
  if (/\/(_npx|dlx-[^/]+|_cacache)\//.test(`${packageRoot}/`)) {
    throw new ConfigRefused(
      `This wc runs from a package manager's cache (${packageRoot}), and an entry would break when that is emptied.`,
      'Install it first: npm install -g webcodex',
    );
  }
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  const folders = scope === 'project' ? [] : FOLDERS.filter(isSet);
  return {
    command: node,
    args: [join(packageRoot, CLI_FILE), 'mcp'],
    env: { WC_HOME: resolve(stateFolder), ...Object.fromEntries(folders.map((name) => [name, env[name] ?? ''])) },
    passed: OF_A_LOGIN.filter(isSet),
  };
}
