import { houseRow, type AuditWrite } from './event-row.js';

/**
 * The row that a start writes after a crash, so that the gap in the record is seen
 * (spec 00, decision 43).
 */
export function recoveredRow(eventId: string, atMs: number): AuditWrite {
  return houseRow(
    {
      event_id: eventId,
      endpoint: 'daemon',
      action_name: 'daemonRecovered',
      operation: 'daemon_recovered',
      warning_summary: 'the daemon ended without its orderly end; calls under way then have no row',
    },
    atMs,
  );
}
