import { isStringList, isStringRecord } from './json-values.js';
import type { ServerEntry } from './server-entry.js';

/** The members that make an entry, as they stand in a configuration. */
export type EntryMembers = Readonly<Record<string, unknown>>;

/** One way of writing an entry down. */
export interface EntryShape {
  /** What leads to the servers in the document. */
  readonly servers: string;
  write(entry: ServerEntry): EntryMembers;
  /** The entry that stands there, or null where it is none of this transport. */
  read(value: EntryMembers): ServerEntry | null;
}

/** `command`, `args` and `env`, as most clients have it. */
export function commonShape(servers: string, fixed: EntryMembers = {}): EntryShape {
  return {
    servers,
    write: ({ command, args, env }) => ({ ...fixed, command, args: [...args], env: { ...env } }),
    read: ({ command, args = [], env = {} }) =>
      typeof command === 'string' && isStringList(args) && isStringRecord(env) ? { command, args, env, passed: [] } : null,
  };
}

/** Codex: variables are passed on by their names. */
export const codexShape: EntryShape = {
  servers: 'mcp_servers',
  write: ({ command, args, env, passed }) => ({
    command,
    args: [...args],
    env: { ...env },
    ...(passed.length === 0 ? {} : { env_vars: [...passed] }),
  }),
  read: ({ command, args = [], env = {}, env_vars: passed = [] }) =>
    typeof command === 'string' && isStringList(args) && isStringRecord(env)
      ? { command, args, env, passed: isStringList(passed) ? passed : [] }
      : null,
};

/** opencode: program and arguments in one list. */
export const opencodeShape: EntryShape = {
  servers: 'mcp',
  write: ({ command, args, env }) => ({ type: 'local', command: [command, ...args], environment: { ...env }, enabled: true }),
  read: ({ command, environment = {} }) => {
    if (!isStringList(command) || !isStringRecord(environment)) return null;
    const [program, ...args] = command;
    return program === undefined ? null : { command: program, args, env: environment, passed: [] };
  },
};
