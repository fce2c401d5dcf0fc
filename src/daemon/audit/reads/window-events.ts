import type { Database } from 'better-sqlite3';
import type { WindowEvent } from '../../kernel/window-event.js';

export interface WindowEventsQuery {
  readonly window: string;
  readonly principalKey: string;
  readonly meaningfulOnly: boolean;
  readonly limit: number;
}

interface Columns {
  readonly event_id: string;
  readonly window_started_at_ms: number;
  readonly window_ended_at_ms: number;
  readonly duration_ms: number;
  readonly request_observed_at_ms: number | null;
  readonly response_handed_at_ms: number | null;
  readonly response_streaming: number | null;
  readonly window_transition_kind: string | null;
  readonly window_continuity_eligible: number | null;
  readonly window_meaningful: number;
  readonly endpoint: string;
  readonly operation: string | null;
  readonly project: string | null;
  readonly status: string;
  readonly server_trace_id: string | null;
}

/** The newest events of one window and one principal (spec 05 §10). */
export function windowEvents(database: Database, query: WindowEventsQuery): readonly WindowEvent[] {
  const rows = database
    .prepare<[string, string, number], Columns>(
      `SELECT event_id, window_started_at_ms, window_ended_at_ms, duration_ms, request_observed_at_ms, response_handed_at_ms,
         response_streaming, window_transition_kind, window_continuity_eligible, window_meaningful, endpoint, operation,
         project, status, server_trace_id
       FROM action_events
       WHERE client_window_key = ? AND window_ended_at_ms IS NOT NULL AND principal_correlation_id = ?
         ${query.meaningfulOnly ? 'AND window_meaningful = 1' : ''}
       ORDER BY window_ended_at_ms DESC, event_id DESC LIMIT ?`,
    )
    .all(query.window, query.principalKey, query.limit);
  const links = database.prepare<[string], { sessionId: string; relation: string; project: string | null }>(
    `SELECT workflow_session_id AS sessionId, workflow_session_relation AS relation, project
     FROM action_event_workflow_links WHERE event_id = ? ORDER BY workflow_session_relation, workflow_session_id`,
  );
  return rows.map((row) => ({
    startedAtMs: row.window_started_at_ms,
    endedAtMs: row.window_ended_at_ms,
    durationMs: row.duration_ms,
    requestObservedAtMs: row.request_observed_at_ms,
    responseHandedAtMs: row.response_handed_at_ms,
    responseStreaming: row.response_streaming === 1,
    transition: row.window_transition_kind,
    continuityEligible: row.window_continuity_eligible === 1,
    meaningful: row.window_meaningful === 1,
    endpoint: row.endpoint,
    tool: row.operation,
    project: row.project,
    status: row.status,
    traceId: row.server_trace_id,
    links: links.all(row.event_id),
  }));
}
