/** The only door of the MCP server: what the daemon's own `/mcp` endpoint is made of. */
export type { Era, Forward, ForwardedCall } from './forward.js';
export type { ListedTools } from './listed-tools.js';
export type { TextCopy } from './call-result.js';
export { mcpServers, type McpServerParts } from './server.js';
