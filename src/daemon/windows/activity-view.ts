import type { JsonObject } from '../../protocol/tool-result.js';
import type { WindowEvent } from '../kernel/window-event.js';

export interface ViewOptions {
  readonly limit: number;
  readonly includeNonmeaningful: boolean;
  readonly isVisible: (project: string) => boolean;
}

/** Of the events; with the summary and what is under way it is 24 KiB at most. */
const EVENT_BYTES_MAX = 21 * 1024;

/** Gaps by their length: each bound counts for itself. */
const BUCKETS: readonly (readonly [string, (ms: number) => boolean])[] = [
  ['lt_1s', (ms) => ms < 1_000],
  ['lt_2s', (ms) => ms < 2_000],
  ['lt_5s', (ms) => ms < 5_000],
  ['ge_5s', (ms) => ms >= 5_000],
  ['ge_10s', (ms) => ms >= 10_000],
  ['ge_30s', (ms) => ms >= 30_000],
  ['ge_120s', (ms) => ms >= 120_000],
];

interface Timed {
  readonly event: WindowEvent;
  readonly gapMs: number | null;
  readonly cycleMs: number | null;
}

/**
 * A window's own calls for whoever works in it (spec 02 §D5), newest first. Visibility is that
 * of now; a gap stands on the earlier call alone, and never reaches over a call that is hidden
 * or proves nothing.
 *
 * @param scanned the newest events of the window and its principal, in any order
 */
export function windowActivityView(scanned: readonly WindowEvent[], options: ViewOptions): JsonObject {
  const inOrder = [...scanned].sort((one, other) => observedAt(one) - observedAt(other));
  const timed = timedEvents(inOrder, options.isVisible);
  const visible = timed
    .filter(({ event }) => isVisible(event, options.isVisible) && (options.includeNonmeaningful || event.meaningful))
    .reverse();
  const events: JsonObject[] = [];
  let bytes = 0;
  for (const one of visible.slice(0, options.limit)) {
    const shown = eventView(one, options.isVisible);
    bytes += Buffer.byteLength(JSON.stringify(shown)) + 1;
    if (bytes > EVENT_BYTES_MAX) break;
    events.push(shown);
  }
  return { events, summary: summaryOf(visible.slice(0, events.length)), truncated: events.length < visible.length };
}

/** Each call with the span to its provable successor. */
function timedEvents(inOrder: readonly WindowEvent[], visible: ViewOptions['isVisible']): Timed[] {
  const meaningful = inOrder.filter((event) => event.meaningful);
  const successor = new Map(meaningful.map((event, index) => [event, meaningful[index + 1]]));
  return inOrder.map((event) => {
    const next = successor.get(event);
    const adjacent =
      next?.transition === 'serial' &&
      event.continuityEligible &&
      !event.responseStreaming &&
      isVisible(event, visible) &&
      isVisible(next, visible);
    if (!adjacent || event.responseHandedAtMs === null || next.requestObservedAtMs === null || event.requestObservedAtMs === null) {
      return { event, gapMs: null, cycleMs: null };
    }
    return {
      event,
      gapMs: next.requestObservedAtMs - event.responseHandedAtMs,
      cycleMs: next.requestObservedAtMs - event.requestObservedAtMs,
    };
  });
}

function eventView({ event, gapMs, cycleMs }: Timed, visible: ViewOptions['isVisible']): JsonObject {
  return {
    request_observed_at_ms: event.requestObservedAtMs,
    response_handed_at_ms: event.responseHandedAtMs,
    started_at_ms: event.startedAtMs,
    ended_at_ms: event.endedAtMs,
    duration_ms: event.durationMs,
    service_ms: serviceMs(event),
    next_call_gap_ms: gapMs,
    cycle_ms: cycleMs,
    window_transition_kind: event.transition,
    response_streaming: event.responseStreaming,
    method: event.endpoint === '/mcp' ? 'tools/call' : event.endpoint,
    tool_name: event.tool,
    project: event.project,
    status: event.status,
    meaningful: event.meaningful,
    server_trace_id: event.traceId,
    workflow_sessions: event.links
      .filter(({ project }) => project === null || visible(project))
      .map(({ sessionId, relation, project }) => ({ session_id: sessionId, relation, project })),
  };
}

function serviceMs({ responseStreaming, responseHandedAtMs: handed, requestObservedAtMs: observed }: WindowEvent): number | null {
  return responseStreaming || handed === null || observed === null ? null : handed - observed;
}

function summaryOf(shown: readonly Timed[]): JsonObject {
  const gaps = shown.map(({ gapMs }) => gapMs).filter((gap) => gap !== null);
  const services = shown.map(({ event }) => serviceMs(event)).filter((span) => span !== null);
  const cycles = shown.map(({ cycleMs }) => cycleMs).filter((span) => span !== null);
  return {
    events: shown.length,
    meaningful_events: shown.filter(({ event }) => event.meaningful).length,
    failed_events: shown.filter(({ event }) => event.status !== 'success').length,
    serial_events: shown.filter(({ event }) => event.transition === 'serial').length,
    overlap_events: shown.filter(({ event }) => event.transition === 'overlap').length,
    max_service_ms: maximum(services),
    max_next_call_gap_ms: maximum(gaps),
    max_cycle_ms: maximum(cycles),
    next_call_gaps: Object.fromEntries(BUCKETS.map(([name, holds]) => [name, gaps.filter(holds).length])),
  };
}

function maximum(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values);
}

function isVisible({ project }: WindowEvent, visible: ViewOptions['isVisible']): boolean {
  return project === null || visible(project);
}

function observedAt({ requestObservedAtMs, startedAtMs }: WindowEvent): number {
  return requestObservedAtMs ?? startedAtMs;
}
