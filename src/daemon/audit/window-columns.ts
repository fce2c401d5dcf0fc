import type { CallRecord } from '../kernel/ports.js';

/** What is known of a call's place in its window; all null without one. */
export interface WindowColumns {
  readonly client_window_key: string | null;
  readonly client_window_source: string | null;
  readonly server_trace_id: string | null;
  readonly window_transition_kind: string | null;
  readonly recorder_gap_session_id: string | null;
  readonly window_started_at_ms: number | null;
  readonly window_ended_at_ms: number | null;
  readonly request_observed_at_ms: number | null;
  readonly response_handed_at_ms: number | null;
  readonly response_streaming: 0 | 1 | null;
  readonly window_continuity_eligible: 0 | 1 | null;
  readonly window_meaningful: 0 | 1;
}

export const NO_WINDOW: WindowColumns = {
  client_window_key: null,
  client_window_source: null,
  server_trace_id: null,
  window_transition_kind: null,
  recorder_gap_session_id: null,
  window_started_at_ms: null,
  window_ended_at_ms: null,
  request_observed_at_ms: null,
  response_handed_at_ms: null,
  response_streaming: null,
  window_continuity_eligible: null,
  window_meaningful: 0,
};

type WindowedCall = Pick<
  CallRecord,
  'window' | 'adapter' | 'traceId' | 'windowTiming' | 'startedAtMs' | 'endedAtMs' | 'handedAtMs' | 'responseStreaming'
>;

/** The window columns of a call; only the window's digest is ever stored. */
export function windowColumns(call: WindowedCall): WindowColumns {
  const { window, windowTiming } = call;
  const shared = {
    ...NO_WINDOW,
    server_trace_id: call.traceId ?? null,
    request_observed_at_ms: call.startedAtMs,
    response_handed_at_ms: call.handedAtMs,
    response_streaming: flag(call.responseStreaming),
  };
  if (window === null) return shared;
  return {
    ...shared,
    client_window_key: window,
    client_window_source: windowSource(call.adapter),
    window_started_at_ms: call.startedAtMs,
    window_ended_at_ms: call.endedAtMs,
    ...(windowTiming === undefined
      ? {}
      : {
          window_transition_kind: windowTiming.transition,
          window_continuity_eligible: flag(windowTiming.continuityEligible),
          window_meaningful: flag(windowTiming.meaningful),
          recorder_gap_session_id: windowTiming.recorderGap,
        }),
  };
}

function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

/** A window comes from the MCP host's own metadata, or from an explicit word elsewhere (spec 02 §D1). */
function windowSource(adapter: CallRecord['adapter']): string {
  return adapter === 'mcp_legacy' || adapter === 'mcp_2026' ? 'openai-session' : 'cli-window';
}
