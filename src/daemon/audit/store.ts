import type { Database } from 'better-sqlite3';
import { ACTION_SESSION_COLUMNS, type ActionSessionRecord } from './action-session.js';
import type { AuditWrite, EventColumns } from './event-row.js';
import type { EventStatus } from './event-status.js';

/** How long an open session may have been idle and still takes calls that name none, in seconds. */
export const ACTION_SESSION_IDLE_TIMEOUT_SECS = 1800;

type EventRow = EventColumns & { readonly session_id: string; readonly ids_json: string };

const EVENT_COLUMNS: readonly (keyof EventRow)[] = [
  'event_id',
  'session_id',
  'started_at',
  'ended_at',
  'duration_ms',
  'endpoint',
  'action_name',
  'status',
  'operation',
  'project',
  'error_summary',
  'warning_summary',
  'principal_kind',
  'principal_user_id',
  'oauth_client_id',
  'http_status',
  'request_bytes',
  'response_bytes',
  'changed_files_json',
  'ids_json',
  'summary_json',
  'client_window_key',
  'client_window_source',
  'server_trace_id',
  'principal_correlation_kind',
  'principal_correlation_id',
  'window_transition_kind',
  'recorder_gap_session_id',
  'window_started_at_ms',
  'window_ended_at_ms',
  'request_observed_at_ms',
  'response_handed_at_ms',
  'response_streaming',
  'window_continuity_eligible',
  'window_meaningful',
];

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
    const { columns } = write;
    const now = Math.max(columns.started_at, columns.ended_at);
    const session = this.selectSession(write.requestedSessionId, now);
    const ids = session.refused === null ? write.ids : { ...write.ids, requested_action_session_id: session.refused };
    this.statements.insertEvent.run({ ...columns, session_id: session.id, ids_json: JSON.stringify(ids) });
    for (const link of write.links) this.statements.insertLink.run({ ...link, event_id: columns.event_id });
    this.statements.count.run({
      session_id: session.id,
      now,
      started_at: columns.started_at,
      ...outcomeCounts(columns.status),
      warnings: columns.warning_summary ? 1 : 0,
      duration_ms: columns.duration_ms,
      changed_files: write.changedFiles,
      jobs: write.jobs,
    });
  }

  /** Which session an event goes to (spec 05 §2); a closed one is never reopened. */
  private selectSession(requested: string | null, now: number): { readonly id: string; readonly refused: string | null } {
    let refused: string | null = null;
    if (requested !== null) {
      const status = this.statements.status.get(requested);
      if (status === undefined) this.statements.insertSession.run({ session_id: requested, now });
      if (status !== 'closed') return { id: requested, refused: null };
      refused = requested;
    }
    const recent = this.statements.newestOpen.get({ since: now - ACTION_SESSION_IDLE_TIMEOUT_SECS });
    if (recent !== undefined) return { id: recent, refused };
    const id = this.newSessionId();
    this.statements.insertSession.run({ session_id: id, now });
    return { id, refused };
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
    insertEvent: database.prepare<[EventRow]>(
      `INSERT INTO action_events (${EVENT_COLUMNS.join(', ')}) VALUES (${EVENT_COLUMNS.map((name) => `@${name}`).join(', ')})`,
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
