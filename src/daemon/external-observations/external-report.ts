import type { ProjectId, SessionId } from '../../protocol/ids.js';

/** What makes two reports the same one: within its Session, the adapter's own identities. They authenticate nothing. */
export interface ReportIdentity {
  readonly sessionId: SessionId;
  /** 64 lower hex. */
  readonly adapterId: string;
  /** 64 lower hex. */
  readonly eventId: string;
}

/** A claim that something outside made about a tool that it ran. */
export interface ExternalReport extends ReportIdentity {
  readonly project: ProjectId;
  readonly observedTool: string;
  /** Null when the outcome was not reported. */
  readonly exitCode: number | null;
  /** When the daemon took it in, in Unix seconds. */
  readonly recordedAt: number;
}

export type ReportedStatus = 'reported_success' | 'reported_failure' | 'unknown';

/** What a report claims; an unknown outcome stays unknown. */
export function reportedStatus({ exitCode }: Pick<ExternalReport, 'exitCode'>): ReportedStatus {
  if (exitCode === null) return 'unknown';
  return exitCode === 0 ? 'reported_success' : 'reported_failure';
}

/** A report as every output shows it. */
export type ReportView = {
  readonly adapter_id: string;
  readonly event_id: string;
  readonly observed_tool: string;
  readonly reported_status: ReportedStatus;
  readonly exit_code: number | null;
  readonly recorded_at: number;
};

export function reportView(report: ExternalReport): ReportView {
  return {
    adapter_id: report.adapterId,
    event_id: report.eventId,
    observed_tool: report.observedTool,
    reported_status: reportedStatus(report),
    exit_code: report.exitCode,
    recorded_at: report.recordedAt,
  };
}

/** What coverage every list of reports has: no source says in which order, or whether all came (spec 06 §12). */
export const REPORT_COVERAGE = {
  complete: false,
  reason: 'source_sequence_unavailable',
  ordering: 'server_recorded_at_then_identity',
} as const;
