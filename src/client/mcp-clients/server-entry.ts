import { basename } from 'node:path';

/** How a client starts a server over standard input and output, whatever its configuration looks like. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables that the client is to pass on as they are when it starts the server. */
  readonly passed: readonly string[];
}

/** What the program's own file is called inside the package. */
export const CLI_FILE = 'dist/cli/wc.cjs';

/** Whether an entry starts `wc mcp`, of this installation or of another one. */
export function startsWcMcp({ command, args }: Pick<ServerEntry, 'command' | 'args'>): boolean {
  const [first, ...rest] = args;
  if (['wc', 'webcodex'].includes(basename(command))) return args.length === 1 && first === 'mcp';
  return first !== undefined && first.endsWith(`/${CLI_FILE}`) && rest.length === 1 && rest[0] === 'mcp';
}
