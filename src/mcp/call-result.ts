import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ToolResult } from '../protocol/tool-result.js';

/** Whether the text copy of a result is sent beside its structure (`mcp.text_copy`). */
export type TextCopy = 'always' | 'never';

/**
 * The MCP form of a ToolResult. Half of the clients show only `structuredContent`, the
 * other half only `content`, so both hold the same facts (decision 22).
 */
export function callResult(result: ToolResult, textCopy: TextCopy): CallToolResult {
  return {
    content: textCopy === 'always' ? [{ type: 'text', text: JSON.stringify(result) }] : [],
    structuredContent: { ...result },
    isError: !result.success,
  };
}
