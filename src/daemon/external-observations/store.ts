import type { Database } from 'better-sqlite3';
import type { ProjectId, SessionId } from '../../protocol/ids.js';
import type { ExternalReport, ReportIdentity } from './external-report.js';

interface Row {
  readonly session_id: SessionId;
  readonly adapter_id: string;
  readonly event_id: string;
  readonly project: ProjectId;
  readonly observed_tool: string;
  readonly exit_code: number | null;
  readonly recorded_at: number;
}

/** The SQL of external reports. Writes run inside a commit. */
export class ReportStore {
  private readonly selectOne;
  private readonly selectOfSession;
  private readonly countOfSession;
  private readonly countAll;
  private readonly insertRow;

  constructor(database: Database) {
    this.selectOne = database.prepare<[string, string, string], Row>(
      'SELECT * FROM external_observations WHERE session_id = ? AND adapter_id = ? AND event_id = ?',
    );
    this.selectOfSession = database.prepare<[string], Row>(
      'SELECT * FROM external_observations WHERE session_id = ? ORDER BY recorded_at, adapter_id, event_id',
    );
    this.countOfSession = database
      .prepare<[string], number>('SELECT count(*) FROM external_observations WHERE session_id = ?')
      .pluck();
    this.countAll = database.prepare<[], number>('SELECT count(*) FROM external_observations').pluck();
    this.insertRow = database.prepare(
      `INSERT INTO external_observations (session_id, adapter_id, event_id, project, observed_tool, exit_code, recorded_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  find({ sessionId, adapterId, eventId }: ReportIdentity): ExternalReport | null {
    const row = this.selectOne.get(sessionId, adapterId, eventId);
    return row === undefined ? null : reportOfRow(row);
  }

  /** All of a Session, by the time they came in, then by identity. */
  ofSession(sessionId: SessionId): ExternalReport[] {
    return this.selectOfSession.all(sessionId).map(reportOfRow);
  }

  counts(sessionId: SessionId): { readonly ofSession: number; readonly total: number } {
    return { ofSession: this.countOfSession.get(sessionId) ?? 0, total: this.countAll.get() ?? 0 };
  }

  insert(report: ExternalReport): void {
    const { sessionId, adapterId, eventId, project, observedTool, exitCode, recordedAt } = report;
    this.insertRow.run(sessionId, adapterId, eventId, project, observedTool, exitCode, recordedAt);
  }
}

function reportOfRow(row: Row): ExternalReport {
  return {
    sessionId: row.session_id,
    adapterId: row.adapter_id,
    eventId: row.event_id,
    project: row.project,
    observedTool: row.observed_tool,
    exitCode: row.exit_code,
    recordedAt: row.recorded_at,
  };
}
