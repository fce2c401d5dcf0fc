import { UNATTRIBUTED } from './attribution.js';
import { eventTimes, type AuditWrite } from './event-row.js';
import { NO_WINDOW } from './window-columns.js';

/**
 * The row that a start writes after a crash, so that the gap in the record is seen
 * (spec 00, decision 43). No caller made it, and it is no call.
 */
export function recoveredRow(eventId: string, atMs: number): AuditWrite {
  return {
    event: {
      event_id: eventId,
      endpoint: 'daemon',
      action_name: 'daemonRecovered',
      operation: 'daemon_recovered',
      status: 'success',
      project: null,
      error_summary: null,
      warning_summary: 'the daemon ended without its orderly end; calls under way then have no row',
      http_status: null,
      request_bytes: null,
      response_bytes: null,
      changed_files_json: '[]',
      summary_json: '{}',
    },
    times: eventTimes({ startedAtMs: atMs, endedAtMs: atMs, durationMs: 0 }),
    attribution: UNATTRIBUTED,
    window: NO_WINDOW,
    ids: {},
    requestedSessionId: null,
    links: [],
    changedFiles: 0,
    jobs: 0,
  };
}
