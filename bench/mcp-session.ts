import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** A stdio MCP server with a client on it. */
export interface McpSession {
  /** Calls a tool; rejects when the answer is an error. */
  readonly call: (tool: string, args: Record<string, unknown>) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Starts a stdio server and initializes it as most clients still do, so that product and
 * peers speak the same era.
 */
export async function startMcpSession(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<McpSession> {
  const client = new Client({ name: 'wc-bench', version: '0' });
  const transport = new StdioClientTransport({ command, args: [...args], env: definedOnly(env), stderr: 'ignore' });
  await client.connect(transport);
  return {
    call: async (name, callArguments) => {
      const answer = await client.callTool({ name, arguments: callArguments });
      if (answer.isError === true) throw new Error(`${name}: ${JSON.stringify(answer.content)}`);
    },
    close: () => client.close(),
  };
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
