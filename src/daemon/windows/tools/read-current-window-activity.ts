import { z } from 'zod';
import type { WindowKey } from '../../../protocol/ids.js';
import { success, type JsonObject, type ToolResult } from '../../../protocol/tool-result.js';
import type { CallContext } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import type { ProjectPort } from '../../kernel/ports.js';
import type { Principal } from '../../kernel/principal.js';
import { clamped, defineTool, type Tool } from '../../kernel/tool.js';
import type { WindowEvent } from '../../kernel/window-event.js';
import { windowActivityView } from '../activity-view.js';
import type { ActiveCall } from '../loop-timing.js';

/** Rows that one read looks at. */
const SCANNED_MAX = 200;
const ACTIVE_SHOWN_MAX = 8;

/** Where the calls of a window are kept. */
export interface WindowEventSource {
  /** The newest events of one window and principal. Rejects with an error whose `kind` says whether the store is there. */
  windowEvents(query: {
    readonly window: WindowKey;
    readonly principalKey: string;
    readonly meaningfulOnly: boolean;
    readonly limit: number;
  }): Promise<readonly WindowEvent[]>;
}

export interface ActivityParts {
  readonly source: WindowEventSource;
  readonly projects: Pick<ProjectPort, 'isVisible'>;
  readonly underWay: (window: WindowKey, principal: Principal) => readonly ActiveCall[];
}

/** `read_current_window_activity`: what this very window did lately; there is no other window to ask for. */
export function readCurrentWindowActivity(parts: ActivityParts): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'read_current_window_activity',
      title: "Read this window's activity",
      summary: 'The latest calls of this very window, with the time between them where it is proven.',
      category: 'runtime',
      scopes: { kind: 'all', scopes: ['runtime:read'] },
      session: 'none',
      project: 'none',
      session_evidence: 'none',
      window_meaningful: false,
      recorded_inputs: ['limit', 'include_nonmeaningful'],
      input: z.strictObject({
        limit: clamped(1, 50, 20),
        include_nonmeaningful: z.boolean().default(false).meta({ description: 'Also calls that only looked for what there is' }),
      }),
      output: z.looseObject({ status: z.enum(['available', 'unavailable']), reason_code: z.string().optional() }),
    },
    async (input, call) => ({ result: await read(parts, input, call) }),
  );
}

async function read(
  { source, projects, underWay }: ActivityParts,
  { limit, include_nonmeaningful: includeNonmeaningful }: { readonly limit: number; readonly include_nonmeaningful: boolean },
  { window, principal, invocationId }: CallContext,
): Promise<ToolResult> {
  if (window === null) return unavailable('window_identity_unavailable');
  if (principal.authority === null || principal.authority.kind === 'anonymous') return unavailable('principal_identity_unavailable');
  let scanned: readonly WindowEvent[];
  try {
    const { principalKey } = principal;
    scanned = await source.windowEvents({ window, principalKey, meaningfulOnly: !includeNonmeaningful, limit: SCANNED_MAX });
  } catch (error) {
    const missing = (error as { readonly kind?: unknown }).kind === 'unavailable';
    return unavailable(missing ? 'activity_store_unavailable' : 'activity_query_unavailable');
  }
  const isVisible = (project: string): boolean => projects.isVisible(project as Parameters<ProjectPort['isVisible']>[0], principal);
  const others = underWay(window, principal).filter(({ traceId }) => traceId !== invocationId);
  return success({
    status: 'available',
    ...windowActivityView(scanned, { limit, includeNonmeaningful, isVisible }),
    active_requests: others.slice(0, ACTIVE_SHOWN_MAX).map(activeView),
  });
}

function activeView({ tool, meaningful, observedAtMs, traceId }: ActiveCall): JsonObject {
  return { tool_name: tool, meaningful, request_observed_at_ms: observedAtMs, server_trace_id: traceId };
}

function unavailable(reasonCode: string): ToolResult {
  return success({ status: 'unavailable', reason_code: reasonCode });
}
