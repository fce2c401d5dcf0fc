import type { Database } from 'better-sqlite3';
import { ACTION_SESSION_COLUMNS, type ActionSessionRecord } from './action-session.js';
import type { AuditWrite } from './event-row.js';
import type { EventStatus } from './event-status.js';
import { redactForStore } from './redaction-pass.js';

/** How long an open session may have been idle and still takes calls that name none, in seconds. */
export const ACTION_SESSION_IDLE_TIMEOUT_SECS = 1800;

/** What the store adds to a write when it places it. */
interface Placed {
  readonly write: AuditWrite;
  readonly sessionId: string;
  readonly idsJson: string;
}

type ColumnValue = string | number | null;

/** Where each column of an event comes from. */
const EVENT_COLUMNS: Readonly<Record<string, (placed: Placed) => ColumnValue>> = {
  event_id: ({ write }) => write.event.event_id,
  session_id: ({ sessionId }) => sessionId,
  started_at: ({ write }) => write.times.started_at,
  ended_at: ({ write }) => write.times.ended_at,
  duration_ms: ({ write }) => write.times.duration_ms,
  endpoint: ({ write }) => write.event.endpoint,
  action_name: ({ write }) => write.event.action_name,
  status: ({ write }) => write.event.status,
  operation: ({ write }) => write.event.operation,
  project: ({ write }) => write.event.project,
  error_summary: ({ write }) => write.event.error_summary,
  warning_summary: ({ write }) => write.event.warning_summary,
  principal_kind: ({ write }) => write.attribution.principal_kind,
  principal_user_id: ({ write }) => write.attribution.principal_user_id,
  oauth_client_id: ({ write }) => write.attribution.oauth_client_id,
  http_status: ({ write }) => write.event.http_status,
  request_bytes: ({ write }) => write.event.request_bytes,
  response_bytes: ({ write }) => write.event.response_bytes,
  changed_files_json: ({ write }) => write.event.changed_files_json,
  ids_json: ({ idsJson }) => idsJson,
  summary_json: ({ write }) => write.event.summary_json,
  client_window_key: ({ write }) => write.window.client_window_key,
  client_window_source: ({ write }) => write.window.client_window_source,
  server_trace_id: ({ write }) => write.window.server_trace_id,
  principal_correlation_kind: ({ write }) => write.attribution.principal_correlation_kind,
  principal_correlation_id: ({ write }) => write.attribution.principal_correlation_id,
  window_transition_kind: ({ write }) => write.window.window_transition_kind,
  recorder_gap_session_id: ({ write }) => write.window.recorder_gap_session_id,
  window_started_at_ms: ({ write }) => write.window.window_started_at_ms,
  window_ended_at_ms: ({ write }) => write.window.window_ended_at_ms,
  request_observed_at_ms: ({ write }) => write.window.request_observed_at_ms,
  response_handed_at_ms: ({ write }) => write.window.response_handed_at_ms,
  response_streaming: ({ write }) => write.window.response_streaming,
  window_continuity_eligible: ({ write }) => write.window.window_continuity_eligible,
  window_meaningful: ({ write }) => write.window.window_meaningful,
};
const EVENT_VALUES = Object.values(EVENT_COLUMNS);

/** The writing side of `audit.db`. Every method throws what SQLite throws; the caller isolates it. */
export class AuditStore {
  private readonly statements;

  constructor(
    private readonly database: Database,
    private readonly newSessionId: () => string,
  ) {
    this.statements = prepareStatements(database);
  }

  /** Writes rows in their order: session, event, links and counters of all of them are one transaction. */
  append(writes: readonly AuditWrite[]): void {
    this.inTransaction(() => {
      for (const write of writes) this.appendOne(write);
    });
  }

  /**
   * Closes a session for good; a second close changes nothing.
   *
   * @returns null for a session that does not exist
   */
  close(sessionId: string, note: string | null, atSecs: number): ClosedSession | null {
    return this.inTransaction(() => {
      const before = this.statements.session.get(sessionId);
      if (before === undefined) return null;
      if (before.status === 'closed') return { session: before, already_closed: true };
      this.statements.close.run({ session_id: sessionId, note, at: atSecs });
      return { session: this.statements.session.get(sessionId) ?? before, already_closed: false };
    });
  }

  private appendOne(write: AuditWrite): void {
    const { event, times } = write;
    const now = Math.max(times.started_at, times.ended_at);
    const { sessionId, refused } = this.selectSession(write.requestedSessionId, now);
    const ids = refused === null ? write.ids : { ...write.ids, requested_action_session_id: refused };
    const placed: Placed = { write, sessionId, idsJson: JSON.stringify(redactForStore(ids)) };
    this.statements.insertEvent.run(EVENT_VALUES.map((valueOf) => valueOf(placed)));
    for (const link of write.links) this.statements.insertLink.run({ ...link, event_id: event.event_id });
    this.statements.count.run({
      session_id: sessionId,
      now,
      started_at: times.started_at,
      ...outcomeCounts(event.status),
      warnings: event.warning_summary ? 1 : 0,
      duration_ms: times.duration_ms,
      changed_files: write.changedFiles,
      jobs: write.jobs,
    });
  }

  /** Which session an event goes to (spec 05 §2); a closed one is never reopened. */
  private selectSession(requested: string | null, now: number): { readonly sessionId: string; readonly refused: string | null } {
    let refused: string | null = null;
    if (requested !== null) {
      const status = this.statements.status.get(requested);
      if (status === undefined) this.statements.insertSession.run({ session_id: requested, now });
      if (status !== 'closed') return { sessionId: requested, refused: null };
      refused = requested;
    }
    const recent = this.statements.newestOpen.get({ since: now - ACTION_SESSION_IDLE_TIMEOUT_SECS });
    if (recent !== undefined) return { sessionId: recent, refused };
    const sessionId = this.newSessionId();
    this.statements.insertSession.run({ session_id: sessionId, now });
    return { sessionId, refused };
  }

  private inTransaction<Result>(work: () => Result): Result {
    this.statements.begin.run();
    try {
      const result = work();
      this.statements.commit.run();
      return result;
    } catch (error) {
      if (this.database.inTransaction) this.statements.rollback.run();
      throw error;
    }
  }
}

export interface ClosedSession {
  readonly session: ActionSessionRecord;
  readonly already_closed: boolean;
}

function outcomeCounts(status: EventStatus): { succeeded: number; failed: number; unknown: number } {
  return {
    succeeded: status === 'success' ? 1 : 0,
    failed: status === 'failed' ? 1 : 0,
    unknown: status === 'timeout' || status === 'unknown' ? 1 : 0,
  };
}

function prepareStatements(database: Database) {
  return {
    begin: database.prepare('BEGIN IMMEDIATE'),
    commit: database.prepare('COMMIT'),
    rollback: database.prepare('ROLLBACK'),
    status: database.prepare<[string], string>('SELECT status FROM action_sessions WHERE session_id = ?').pluck(),
    session: database.prepare<[string], ActionSessionRecord>(
      `SELECT ${ACTION_SESSION_COLUMNS} FROM action_sessions WHERE session_id = ?`,
    ),
    // Sessions without an event have no last_event_at; only another program's row can be one.
    newestOpen: database
      .prepare<[{ since: number }], string>(
        `SELECT session_id FROM (
           SELECT session_id, last_event_at AS at, updated_at, rowid AS place FROM (
             SELECT session_id, last_event_at, updated_at, rowid FROM action_sessions
             WHERE status = 'open' AND last_event_at >= @since
             ORDER BY last_event_at DESC, updated_at DESC LIMIT 1)
           UNION ALL
           SELECT session_id, created_at, updated_at, rowid FROM action_sessions
           WHERE status = 'open' AND last_event_at IS NULL AND created_at >= @since)
         ORDER BY at DESC, updated_at DESC, place DESC LIMIT 1`,
      )
      .pluck(),
    insertSession: database.prepare<[{ session_id: string; now: number }]>(
      `INSERT INTO action_sessions (session_id, status, created_at, updated_at) VALUES (@session_id, 'open', @now, @now)`,
    ),
    insertEvent: database.prepare<[ColumnValue[]]>(
      `INSERT INTO action_events (${Object.keys(EVENT_COLUMNS).join(', ')}) VALUES (${EVENT_VALUES.map(() => '?').join(', ')})`,
    ),
    insertLink: database.prepare(
      `INSERT INTO action_event_workflow_links
         (event_id, workflow_session_id, workflow_session_relation, project, linked_at_ms)
       VALUES (@event_id, @workflow_session_id, @workflow_session_relation, @project, @linked_at_ms)`,
    ),
    count: database.prepare(
      `UPDATE action_sessions SET
         total_actions = total_actions + 1,
         success_count = success_count + @succeeded,
         failed_count = failed_count + @failed,
         timeout_or_unknown_count = timeout_or_unknown_count + @unknown,
         warning_count = warning_count + @warnings,
         total_duration_ms = total_duration_ms + @duration_ms,
         changed_files_count = changed_files_count + @changed_files,
         job_ids_count = job_ids_count + @jobs,
         first_event_at = min(coalesce(first_event_at, @started_at), @started_at),
         last_event_at = max(coalesce(last_event_at, @now), @now),
         updated_at = max(updated_at, @now)
       WHERE session_id = @session_id`,
    ),
    close: database.prepare(
      `UPDATE action_sessions SET status = 'closed', closed_at = @at, updated_at = max(updated_at, @at),
         note = coalesce(@note, note) WHERE session_id = @session_id`,
    ),
  };
}
