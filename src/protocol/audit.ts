import type { ToolSurface } from './tool-surface.js';

/*
 * What the audit's routes, `wc audit` and the MCP shim say to each other beyond the
 * documents of the three read routes.
 */

/** The trailer of an export: how many events it held. A stream without it broke off. */
export const AUDIT_EXPORT_TRAILER = 'x-wc-audit-export';

/** One line of `POST /api/audit/tail`: where to go on after it, and the event; what comes first may have none. */
export interface TailLine<Event> {
  readonly cursor: string;
  readonly event?: Event;
}

/** Where the shim tells of a list that it answered by itself. */
export const TOOLS_LISTED_ROUTE = '/api/mcp/tools-listed';

/** The body of that route. Times are Unix milliseconds. */
export interface ToolsListed {
  readonly protocol_era: ToolSurface['protocol_era'];
  /** Null for a request that was refused. */
  readonly tool_surface: ToolSurface | null;
  /** The host's window, raw; it is hashed at once. */
  readonly window: string | null;
  readonly started_at_ms: number;
  readonly ended_at_ms: number;
  /** Monotonic. */
  readonly duration_ms: number;
  readonly handed_at_ms: number;
}
