import { z } from 'zod';
import { REPORT_COVERAGE, reportedStatus, reportView, type ExternalReport, type ReportView } from '../../external-observations/index.js';
import { boundedList, boundedListSchema, UNKNOWN_LIST, type BoundedList } from './bounded-list.js';

const MAX_REPORTS = 5;

/** Why there is nothing to tell of external reports (spec 06 §12). */
export type ReportsUnavailable = 'session_project_unavailable' | 'store_unavailable' | 'projection_unavailable';

/** A Session's external reports as they were captured, by the time they came in; or why they are not known. */
export type CapturedReports = { readonly reports: readonly ExternalReport[] } | { readonly unavailable: ReportsUnavailable };

/** The reports in a brief: claims of somebody outside, beside all evidence. */
export type ExternalSection = BoundedList<ReportView> & {
  readonly status: 'available' | 'unavailable';
  readonly reason_code?: ReportsUnavailable;
  readonly provenance: 'external_report';
  readonly coverage: {
    readonly complete: false;
    readonly reason: 'source_sequence_unavailable' | 'read_unavailable';
    readonly ordering: 'server_recorded_at_then_identity';
  };
  /** Of all that are retained, not of those shown. */
  readonly unknown_count: number | null;
};

export const externalSectionSchema = boundedListSchema(z.looseObject({ reported_status: z.string() })).extend({
  status: z.enum(['available', 'unavailable']),
  reason_code: z.string().optional(),
  provenance: z.literal('external_report'),
  coverage: z.strictObject({ complete: z.literal(false), reason: z.string(), ordering: z.string() }),
  unknown_count: z.int().nullable(),
});

/** The newest reports, newest first. What cannot be read never looks like nothing. */
export function externalSection(captured: CapturedReports): ExternalSection {
  const coverage = REPORT_COVERAGE;
  if ('unavailable' in captured) {
    return {
      status: 'unavailable',
      reason_code: captured.unavailable,
      provenance: 'external_report',
      coverage: { ...coverage, reason: 'read_unavailable' },
      ...UNKNOWN_LIST,
      unknown_count: null,
    };
  }
  const { reports } = captured;
  return {
    status: 'available',
    provenance: 'external_report',
    coverage,
    ...boundedList(reports.slice(-MAX_REPORTS).toReversed().map(reportView), MAX_REPORTS, reports.length),
    unknown_count: reports.filter((report) => reportedStatus(report) === 'unknown').length,
  };
}

/** Whether reports came in between two captures; rows are never changed, so that their number says it. */
export function reportsChanged(before: CapturedReports, after: CapturedReports): boolean {
  return countOf(before) !== countOf(after);
}

function countOf(captured: CapturedReports): number | null {
  return 'reports' in captured ? captured.reports.length : null;
}
