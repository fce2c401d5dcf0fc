import type { ExternalReport, ReportIdentity } from './external-report.js';

const IDENTITY = /^[0-9a-f]{64}$/;
const TOOL = /^[A-Za-z0-9_.:-]{1,64}$/;
const EXIT_CODE_MAX = 2 ** 31 - 1;

/** What bounds the store; nothing is evicted for room (spec 06 §12). */
export interface ReportLimits {
  readonly perSession: number;
  readonly total: number;
}

export const REPORT_LIMITS: ReportLimits = { perSession: 256, total: 65_536 };

/** What breaks the rules of a report that has the right members, for a person; null when nothing does. */
export function reportProblem(report: Pick<ReportIdentity, 'adapterId' | 'eventId'> & Pick<ExternalReport, 'observedTool' | 'exitCode'>): string | null {
  if (!IDENTITY.test(report.adapterId)) return 'adapter_id is 64 lower-case hex digits';
  if (!IDENTITY.test(report.eventId)) return 'event_id is 64 lower-case hex digits';
  if (!TOOL.test(report.observedTool)) return 'observed_tool has 1 to 64 letters, digits, and _ . : -';
  if (report.exitCode !== null && Math.abs(report.exitCode) > EXIT_CODE_MAX) return 'exit_code is no exit code';
  return null;
}

/** Whether a report under a known identity says what was said before. */
export function isReplay(stored: ExternalReport, given: Omit<ExternalReport, 'recordedAt'>): boolean {
  return stored.observedTool === given.observedTool && stored.exitCode === given.exitCode && stored.project === given.project;
}
