import { firstCharacters } from '../redaction/index.js';
import type { CallRecord } from '../kernel/ports.js';
import { requestedSession } from './affinity.js';
import { attributionOf, type Attribution } from './attribution.js';
import { eventIds, jobIdsOf, type EventIds } from './event-ids.js';
import { eventStatus, type EventStatus } from './event-status.js';
import { summaryJson } from './event-summary.js';
import { boundedPaths } from './changed-paths.js';
import { callErrorKind } from './ergonomics/failure-labels.js';
import { responseBytes } from './result-bytes.js';
import { windowColumns, type WindowColumns } from './window-columns.js';
import { workflowLinks, type WorkflowLink } from './workflow-links.js';

/** What happened, in the columns of that name. */
export interface EventFacts {
  readonly event_id: string;
  readonly endpoint: string;
  readonly action_name: string;
  readonly operation: string | null;
  readonly status: EventStatus;
  readonly project: string | null;
  readonly error_summary: string | null;
  readonly warning_summary: string | null;
  readonly http_status: number | null;
  readonly request_bytes: number | null;
  readonly response_bytes: number | null;
  readonly changed_files_json: string;
  readonly summary_json: string;
}

/** One event on its way to the store, in the parts that its columns are made of. */
export interface AuditWrite {
  readonly event: EventFacts;
  readonly times: EventTimes;
  readonly attribution: Attribution;
  readonly window: WindowColumns;
  /** A document until the row is written: a closed session that was asked for is added to it then. */
  readonly ids: EventIds;
  readonly requestedSessionId: string | null;
  readonly links: readonly WorkflowLink[];
  readonly changedFiles: number;
  readonly jobs: number;
}

export interface RowContext {
  readonly eventId: string;
  /** The salt of this process for Job relations. */
  readonly salt: Buffer;
  readonly warn: (error: unknown) => void;
}

const MAX_OPERATION_CHARACTERS = 80;
const MAX_NAME_CHARACTERS = 120;

/** The row of one executed call. It holds labels, counts and sizes, and no argument, output or message. */
export function callRow(call: CallRecord, context: RowContext): AuditWrite {
  const requested = requestedSession(call.affinity);
  const ids = eventIds(call);
  const paths = boundedPaths(call.outcomeFacts.changedPaths ?? []);
  // The name of a tool that does not exist is a caller's text.
  const tool = firstCharacters(call.facts === null ? 'unknown' : call.toolName, MAX_OPERATION_CHARACTERS);
  return {
    event: {
      event_id: context.eventId,
      endpoint: firstCharacters(call.endpoint, MAX_NAME_CHARACTERS),
      action_name: call.endpoint === '/mcp' ? 'toolsCall' : tool,
      operation: tool,
      status: eventStatus(call),
      project: call.project === null ? null : firstCharacters(call.project, MAX_NAME_CHARACTERS),
      // Messages may quote arguments; their kind never does.
      error_summary: call.result.success ? null : (callErrorKind(call.result) ?? call.outcome),
      warning_summary: requested.warning,
      http_status: call.httpStatus,
      request_bytes: call.requestBytes,
      response_bytes: responseBytes(call),
      changed_files_json: JSON.stringify(paths.kept),
      summary_json: summaryJson(call, context),
    },
    times: eventTimes(call),
    attribution: attributionOf(call.principal),
    window: windowColumns(call),
    ids,
    requestedSessionId: requested.id,
    links: workflowLinks(call),
    changedFiles: paths.total,
    jobs: jobIdsOf({ ...ids }).size,
  };
}

/** Plain times are Unix seconds; the duration is monotonic and no difference of them. */
export interface EventTimes {
  readonly started_at: number;
  readonly ended_at: number;
  readonly duration_ms: number;
}

export function eventTimes(call: Pick<CallRecord, 'startedAtMs' | 'endedAtMs' | 'durationMs'>): EventTimes {
  return {
    started_at: Math.floor(call.startedAtMs / 1000),
    ended_at: Math.floor(call.endedAtMs / 1000),
    duration_ms: Math.max(0, Math.trunc(call.durationMs)),
  };
}
