/*
 * What the streams of the audit and `wc audit` say to each other.
 */

/** The trailer of an export: how many events it held. A stream without it broke off. */
export const AUDIT_EXPORT_TRAILER = 'x-wc-audit-export';

/** One line of `POST /api/audit/tail`: where to go on after it, and the event; what comes first may have none. */
export interface TailLine<Event> {
  readonly cursor: string;
  readonly event?: Event;
}
