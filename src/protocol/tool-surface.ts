/** The size of one answer to `tools/list` (spec 05 §8): counts and bytes, no names and no schemas. */
export interface ToolSurface {
  readonly schema_version: 1;
  readonly protocol_era: 'legacy' | 'stateless_2026';
  readonly compact_schemas: boolean;
  readonly tool_count: number;
  /** UTF-8 bytes of the compact JSON of `result.tools`. */
  readonly serialized_tools_bytes: number;
  /** UTF-8 bytes of the compact JSON of the whole MCP result, without the JSON-RPC envelope. */
  readonly serialized_result_bytes: number;
  /** Whether `call_runtime_tool` was really listed. */
  readonly gateway_tool_included: boolean;
}

const GATEWAY_TOOL = 'call_runtime_tool';

/** Measures the final answer as the client sees it, its stateless metadata included. */
export function measureToolSurface(
  result: { readonly tools: readonly { readonly name: string }[] },
  era: ToolSurface['protocol_era'],
  compactSchemas: boolean,
): ToolSurface {
  const bytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).byteLength;
  return {
    schema_version: 1,
    protocol_era: era,
    compact_schemas: compactSchemas,
    tool_count: result.tools.length,
    serialized_tools_bytes: bytes(result.tools),
    serialized_result_bytes: bytes(result),
    gateway_tool_included: result.tools.some(({ name }) => name === GATEWAY_TOOL),
  };
}
