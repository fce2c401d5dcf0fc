import { EXIT } from '../client/index.js';
import { runMcp } from '../mcp/serve-mcp.js';
import { WcCommand } from './framework/wc-command.js';

/** `wc mcp`: the MCP server of both eras on standard input and output, for an MCP client to start. */
export default class McpCommand extends WcCommand {
  static override summary = 'Serve MCP over standard input and output; an MCP client starts this.';

  async run(): Promise<number> {
    await this.parse(McpCommand);
    await runMcp();
    return EXIT.success;
  }
}
