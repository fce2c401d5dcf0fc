import type { ToolSurface } from '../../protocol/tool-surface.js';
import type { WindowKey } from '../../protocol/ids.js';
import type { Adapter } from '../kernel/call-context.js';
import type { AuditAffinity } from '../kernel/ports.js';
import type { Principal } from '../kernel/principal.js';
import { requestedSession } from './affinity.js';
import { attributionOf } from './attribution.js';
import { eventTimes, type AuditWrite } from './event-row.js';
import { windowColumns } from './window-columns.js';

/** One executed `tools/list` request; a notification is none and has no record. */
export interface ToolsListRecord {
  readonly principal: Principal;
  readonly adapter: Adapter;
  readonly window: WindowKey | null;
  readonly affinity: AuditAffinity;
  /** The measured answer, or null when the request failed. */
  readonly surface: ToolSurface | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Monotonic. */
  readonly durationMs: number;
  readonly handedAtMs: number;
  readonly httpStatus: number | null;
  readonly requestBytes: number | null;
}

/** The row of a `tools/list` (spec 05 §8), which is no tool call and has no telemetry record. */
export function toolsListRow(list: ToolsListRecord, eventId: string): AuditWrite {
  const requested = requestedSession(list.affinity);
  return {
    event: {
      event_id: eventId,
      endpoint: '/mcp',
      action_name: 'toolsList',
      operation: 'mcp_tools_list',
      status: list.surface === null ? 'failed' : 'success',
      project: null,
      error_summary: null,
      warning_summary: requested.warning,
      http_status: list.httpStatus,
      request_bytes: list.requestBytes,
      response_bytes: list.surface?.serialized_result_bytes ?? null,
      changed_files_json: '[]',
      summary_json: JSON.stringify({
        transport: 'mcp',
        ...(list.surface === null ? {} : { tool_surface: list.surface }),
      }),
    },
    times: eventTimes(list),
    attribution: attributionOf(list.principal),
    window: windowColumns({ ...list, responseStreaming: false }),
    ids: {},
    requestedSessionId: requested.id,
    links: [],
    changedFiles: 0,
    jobs: 0,
  };
}
