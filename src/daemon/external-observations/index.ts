import type { Database } from 'better-sqlite3';
import type { Domain } from '../domain.js';
import type { CommitQueue } from '../storage/commit-queue.js';
import { REPORT_LIMITS, type ReportLimits } from './report-rules.js';
import type { ReportsPort } from './reports-port.js';
import { ReportStore } from './store.js';
import { listExternalObservations } from './tools/list-external-observations.js';
import { recordExternalObservation } from './tools/record-external-observation.js';

export { REPORT_COVERAGE, reportedStatus, reportView, type ExternalReport, type ReportView } from './external-report.js';
export type { ReportsPort } from './reports-port.js';
export { externalObservationsSchema } from './schema.js';

export interface ExternalObservationsDeps {
  /** `ledger.db`, opened with `externalObservationsSchema` among its schemas. */
  readonly database: Database;
  readonly commits: CommitQueue;
  /** Unix seconds. */
  readonly now: () => number;
  readonly onFault: (error: unknown) => void;
  readonly limits?: ReportLimits;
}

/** Reports from outside about a Session's work (spec 06 §12): a plane of its own, beside all evidence. */
export interface ExternalObservationsDomain extends Domain {
  readonly reports: ReportsPort;
}

/** External reports: stored once each under the reporter's own identity, never evidence. */
export function createExternalObservationsDomain(deps: ExternalObservationsDeps): ExternalObservationsDomain {
  const { database, commits, now, onFault, limits = REPORT_LIMITS } = deps;
  const store = new ReportStore(database);
  const reports: ReportsPort = {
    ofSession: (sessionId) => {
      try {
        commits.flush();
        return store.ofSession(sessionId);
      } catch (error) {
        onFault(error);
        return null;
      }
    },
  };
  return {
    name: 'external_observations',
    tools: [recordExternalObservation({ store, commits, limits, now, onFault }), listExternalObservations(reports)],
    reports,
  };
}
