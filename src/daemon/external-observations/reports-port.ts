import type { SessionId } from '../../protocol/ids.js';
import type { ExternalReport } from './external-report.js';

/** Reading external reports, for projections. */
export interface ReportsPort {
  /** All of a Session, by the time they came in, then by identity; null when the store cannot be read. */
  ofSession(sessionId: SessionId): readonly ExternalReport[] | null;
}
