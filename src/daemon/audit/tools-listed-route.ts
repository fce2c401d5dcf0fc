import { z } from 'zod';
import { TOOLS_LISTED_ROUTE } from '../../protocol/audit.js';
import type { OperatorRoute } from '../operator-route.js';
import { windowKey } from '../kernel/window-key.js';
import { admitRequest } from './admit-request.js';
import { MALFORMED_BODY } from './audit-error.js';
import type { ToolsListRecord } from './tools-list-row.js';

const count = z.int().min(0);
const era = z.enum(['legacy', 'stateless_2026']);

const toolsListed = z.strictObject({
  protocol_era: era,
  tool_surface: z
    .strictObject({
      schema_version: z.literal(1),
      protocol_era: era,
      compact_schemas: z.boolean(),
      tool_count: count,
      serialized_tools_bytes: count,
      serialized_result_bytes: count,
      gateway_tool_included: z.boolean(),
    })
    .nullable(),
  window: z.string().max(1_024).nullable(),
  started_at_ms: count,
  ended_at_ms: count,
  duration_ms: count,
  handed_at_ms: count,
});

/**
 * `POST /api/mcp/tools-listed`: the shim answers `tools/list` by itself, without a daemon
 * if there is none, and tells of it here when there is one. The row is the caller's.
 */
export function toolsListedRoute(record: (list: ToolsListRecord) => void): OperatorRoute {
  return {
    method: 'POST',
    path: TOOLS_LISTED_ROUTE,
    malformedBody: MALFORMED_BODY,
    handle: async (body, principal) => {
      const admitted = admitRequest(toolsListed, body, principal);
      if ('refusal' in admitted) return admitted.refusal;
      const list = admitted.request;
      record({
        principal,
        adapter: list.protocol_era === 'stateless_2026' ? 'mcp_2026' : 'mcp_legacy',
        window: windowKey('openai-session', list.window ?? undefined),
        affinity: { header: null, headerAlias: null, query: null },
        surface: list.tool_surface,
        startedAtMs: list.started_at_ms,
        endedAtMs: list.ended_at_ms,
        durationMs: list.duration_ms,
        handedAtMs: list.handed_at_ms,
        // Nothing of the shim's conversation is HTTP.
        httpStatus: null,
        requestBytes: null,
      });
      return { status: 200, body: { recorded: true } };
    },
  };
}
