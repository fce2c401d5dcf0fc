import type { Database } from 'better-sqlite3';
import type { DomainSchema } from '../storage/migrations.js';

/** A column as it stands in the table, and in an `ALTER TABLE` of a store that lacks it. */
type Column = readonly [name: string, type: string];

const SESSION_COLUMNS: readonly Column[] = [
  ['session_id', 'TEXT PRIMARY KEY'],
  ['title', 'TEXT'],
  ['note', 'TEXT'],
  ['status', 'TEXT NOT NULL'],
  ['created_at', 'INTEGER NOT NULL'],
  ['updated_at', 'INTEGER NOT NULL'],
  ['closed_at', 'INTEGER'],
  ['first_event_at', 'INTEGER'],
  ['last_event_at', 'INTEGER'],
  ['total_actions', 'INTEGER NOT NULL DEFAULT 0'],
  ['success_count', 'INTEGER NOT NULL DEFAULT 0'],
  ['failed_count', 'INTEGER NOT NULL DEFAULT 0'],
  ['timeout_or_unknown_count', 'INTEGER NOT NULL DEFAULT 0'],
  ['warning_count', 'INTEGER NOT NULL DEFAULT 0'],
  ['total_duration_ms', 'INTEGER NOT NULL DEFAULT 0'],
  ['changed_files_count', 'INTEGER NOT NULL DEFAULT 0'],
  ['job_ids_count', 'INTEGER NOT NULL DEFAULT 0'],
];

const EVENT_COLUMNS: readonly Column[] = [
  ['event_id', 'TEXT PRIMARY KEY'],
  ['session_id', 'TEXT NOT NULL REFERENCES action_sessions (session_id)'],
  ['started_at', 'INTEGER NOT NULL'],
  ['ended_at', 'INTEGER NOT NULL'],
  ['duration_ms', 'INTEGER NOT NULL'],
  ['endpoint', 'TEXT NOT NULL'],
  ['action_name', 'TEXT NOT NULL'],
  ['status', 'TEXT NOT NULL'],
  ['operation', 'TEXT'],
  ['project', 'TEXT'],
  ['error_summary', 'TEXT'],
  ['warning_summary', 'TEXT'],
  ['http_status', 'INTEGER'],
  ['request_bytes', 'INTEGER'],
  ['response_bytes', 'INTEGER'],
  ['changed_files_json', 'TEXT NOT NULL'],
  ['ids_json', 'TEXT NOT NULL'],
  ['summary_json', 'TEXT NOT NULL'],
];

const ATTRIBUTION_COLUMNS: readonly Column[] = [
  ['principal_kind', 'TEXT'],
  ['principal_user_id', 'TEXT'],
  ['oauth_client_id', 'TEXT'],
];

const WINDOW_COLUMNS: readonly Column[] = [
  ['client_window_key', 'TEXT'],
  ['client_window_source', 'TEXT'],
  ['server_trace_id', 'TEXT'],
  ['principal_correlation_kind', 'TEXT'],
  ['principal_correlation_id', 'TEXT'],
  ['window_transition_kind', 'TEXT'],
  ['recorder_gap_session_id', 'TEXT'],
  ['window_started_at_ms', 'INTEGER'],
  ['window_ended_at_ms', 'INTEGER'],
  ['request_observed_at_ms', 'INTEGER'],
  ['response_handed_at_ms', 'INTEGER'],
  ['response_streaming', 'INTEGER CHECK (response_streaming IN (0, 1))'],
  ['window_continuity_eligible', 'INTEGER CHECK (window_continuity_eligible IN (0, 1))'],
  ['window_meaningful', 'INTEGER NOT NULL DEFAULT 0 CHECK (window_meaningful IN (0, 1))'],
];

/**
 * A member of `summary_json` as an indexed expression; queries must use the very same text.
 * A row whose JSON is broken has none of them, and still has its place in the index.
 */
function summaryMember(path: string): string {
  return `CASE WHEN json_valid(summary_json) THEN json_extract(summary_json, '$.${path}') END`;
}

/** What the statistics per tool are made of; their covering index is ordered by the labels among them. */
export const MEASURES = {
  outcome: summaryMember('outcome'),
  telemetryVersion: summaryMember('model_ergonomics.schema_version'),
  resultBytes: summaryMember('model_ergonomics.serialized_result_bytes'),
  errorKind: summaryMember('model_ergonomics.error_kind'),
  executionState: summaryMember('model_ergonomics.execution_state'),
} as const;

/**
 * The steps of the store: the three of its contract (spec 05 §1), and one for our own statistics. Each
 * adds only what is missing, and renames nothing.
 */
export const AUDIT_SCHEMA: DomainSchema = {
  domain: 'audit',
  steps: [
    function base(database) {
      createTable(database, 'action_sessions', SESSION_COLUMNS);
      createTable(database, 'action_events', EVENT_COLUMNS);
      database.exec(`
        CREATE INDEX IF NOT EXISTS idx_action_sessions_status_last_event
          ON action_sessions (status, last_event_at DESC, updated_at DESC);
        CREATE INDEX IF NOT EXISTS idx_action_events_session_started ON action_events (session_id, started_at DESC);
        CREATE INDEX IF NOT EXISTS idx_action_events_operation_started
          ON action_events (operation, started_at DESC) WHERE operation IS NOT NULL;`);
    },
    function attribution(database) {
      addColumns(database, 'action_events', ATTRIBUTION_COLUMNS);
      database.exec(`
        CREATE INDEX IF NOT EXISTS idx_action_events_principal_user_started
          ON action_events (principal_user_id, started_at DESC);
        CREATE INDEX IF NOT EXISTS idx_action_events_oauth_client_started
          ON action_events (oauth_client_id, started_at DESC);`);
    },
    function windowAndLinks(database) {
      addColumns(database, 'action_events', WINDOW_COLUMNS);
      database.exec(`
        CREATE TABLE IF NOT EXISTS action_event_workflow_links (
          event_id TEXT NOT NULL REFERENCES action_events (event_id) ON DELETE CASCADE,
          workflow_session_id TEXT NOT NULL,
          workflow_session_relation TEXT NOT NULL
            CHECK (workflow_session_relation IN ('recording', 'work_on_project')),
          project TEXT,
          linked_at_ms INTEGER NOT NULL,
          PRIMARY KEY (event_id, workflow_session_id, workflow_session_relation)
        );
        CREATE INDEX IF NOT EXISTS idx_action_events_window_started
          ON action_events (client_window_key, window_started_at_ms DESC);
        CREATE INDEX IF NOT EXISTS idx_action_events_window_completed
          ON action_events (client_window_key, window_ended_at_ms DESC, event_id DESC)
          WHERE client_window_key IS NOT NULL AND window_ended_at_ms IS NOT NULL;
        CREATE INDEX IF NOT EXISTS idx_action_events_window_meaningful_completed
          ON action_events (client_window_key, window_ended_at_ms DESC, event_id DESC)
          WHERE client_window_key IS NOT NULL AND window_ended_at_ms IS NOT NULL AND window_meaningful = 1;
        CREATE INDEX IF NOT EXISTS idx_action_event_workflow_links_session
          ON action_event_workflow_links (workflow_session_id, linked_at_ms DESC);`);
    },
    function statisticsByTool(database) {
      const { outcome, telemetryVersion, errorKind, executionState, resultBytes } = MEASURES;
      database.exec(`
        DROP INDEX IF EXISTS idx_action_events_measures;
        CREATE INDEX IF NOT EXISTS idx_action_events_started ON action_events (started_at);
        CREATE INDEX IF NOT EXISTS idx_action_events_by_tool
          ON action_events (operation, status, ${outcome}, ${telemetryVersion}, ${errorKind}, ${executionState},
            started_at, session_id, duration_ms, ${resultBytes});`);
    },
  ],
};

function createTable(database: Database, table: string, columns: readonly Column[]): void {
  database.exec(`CREATE TABLE IF NOT EXISTS ${table} (${columns.map((column) => column.join(' ')).join(', ')})`);
  addColumns(database, table, columns);
}

function addColumns(database: Database, table: string, columns: readonly Column[]): void {
  const present = new Set(database.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table));
  for (const [name, type] of columns) {
    if (!present.has(name)) database.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
  }
}
