import { z } from 'zod';
import { failure, success, type JsonObject } from '../../../protocol/tool-result.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { defineTool, type Tool } from '../../kernel/tool.js';

/** What the status is read from, at the moment of the call. */
export interface StatusSource {
  /** Health and counts, for everybody who may read the runtime. */
  readonly compact: () => JsonObject;
  /** What the full form adds: authority, limits, store counts. */
  readonly full: () => JsonObject;
}

/** `get_runtime_status`: health, counts and limits, and never a token, a variable or a log line. */
export function getRuntimeStatus(source: StatusSource): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'get_runtime_status',
      title: 'Runtime status',
      summary: 'Health of daemon and Runner, counts, and (in full) authority, limits and stores.',
      category: 'runtime',
      scopes: { kind: 'all', scopes: ['runtime:read'] },
      session: 'none',
      project: 'none',
      session_evidence: 'none',
      window_meaningful: false,
      recorded_inputs: ['compact', 'client_id'],
      input: z.strictObject({
        compact: z.boolean().optional().meta({ description: 'Health and counts alone; the default over MCP' }),
        client_id: z.string().max(64).optional().meta({ description: 'The Runner to ask about: local' }),
      }),
      output: z.looseObject({ status: z.string() }),
    },
    (args, call) => {
      if (args.client_id !== undefined && args.client_id !== 'local') {
        return { result: failure('unknown_client_id', 'there is one Runner, and its client_id is local') };
      }
      const overMcp = call.adapter === 'mcp_legacy' || call.adapter === 'mcp_2026';
      const compact = args.compact ?? overMcp;
      return { result: success(compact ? source.compact() : { ...source.compact(), ...source.full() }) };
    },
  );
}
