/*
 * What the ledger's operator routes and `wc ledger` say to each other. The document itself
 * is described in docs/ledger-format.md.
 */

/** In a transfer this byte parts the document from its chain; JSON holds none. */
export const CHAIN_SEPARATOR = 0x1e;

/** The trailer of an export: an `ExportSummary` as JSON. A stream without it broke off. */
export const EXPORT_TRAILER = 'x-wc-ledger-export';

/** What a whole export held. */
export interface ExportSummary {
  readonly sessions: number;
  readonly tombstones: number;
  /** Sessions whose rows break their rules: they are not in the document. */
  readonly unreadable: readonly string[];
}

/** Something that an import left out or made safe. Values are never quoted. */
export interface ImportNote {
  /** The zero-based position of the row in the document. */
  readonly row: number;
  readonly reason: string;
  /** Where in the row; empty for the row itself. */
  readonly at: string;
}

/** Notes by their reasons, and the first hundred of them. */
export interface ImportNotes {
  readonly total: number;
  readonly by_reason: Readonly<Record<string, number>>;
  readonly listed: readonly ImportNote[];
}

/** What `POST /api/ledger/import` answers. */
export interface ImportReport {
  readonly document_sha256: string;
  readonly document_bytes: number;
  readonly sessions: number;
  readonly events: number;
  readonly messages: number;
  readonly tombstones: number;
  /** Closed Sessions that the historical limit removed again. */
  readonly pruned: number;
  /** Whole rows that were left out. */
  readonly dropped: ImportNotes;
  /** What was left out of rows that were restored, or changed in them. */
  readonly changed: ImportNotes;
  /** Sessions whose events were proven against the chain; null without one. */
  readonly chains_verified: number | null;
  readonly durable_binding_count: number;
  readonly restored_binding_count: number;
  readonly discarded_binding_count: number;
}

/** Something that a sound ledger does not have. */
export interface VerificationFinding {
  readonly kind: string;
  readonly session_id: string | null;
  readonly sequence: number | null;
  readonly message: string;
}

/** What `POST /api/ledger/verify` answers. */
export interface VerificationReport {
  readonly sound: boolean;
  readonly sessions_checked: number;
  readonly events_checked: number;
  readonly messages_checked: number;
  readonly tombstones_checked: number;
  readonly findings_total: number;
  /** The first 1,000. */
  readonly findings: readonly VerificationFinding[];
  readonly anchor: {
    readonly status: 'contained' | 'contradicted' | 'unknown';
    /** Unix seconds. */
    readonly made_at: number | null;
    readonly proven: number;
    readonly evicted: number;
    readonly expired: number;
    readonly contradicted: number;
  } | null;
}

/** What `POST /api/ledger/anchor` answers. */
export interface AnchorReport {
  readonly line: string;
  /** Unix seconds. */
  readonly made_at: number;
  readonly sessions: number;
}

/** What `POST /api/ledger/stats` answers. */
export interface StatsReport {
  readonly sizes: { readonly database_bytes: number; readonly wal_bytes: number };
  readonly rows: {
    readonly sessions: number;
    readonly session_events: number;
    readonly session_messages: number;
    readonly session_tombstones: number;
    readonly session_refs: number;
    readonly ledger_anchors: number;
  };
  readonly active_sessions: number;
  readonly closed_sessions: number;
  readonly events_observed: number;
  /** Unix seconds; null in an empty ledger. */
  readonly oldest_created_at: number | null;
  readonly newest_updated_at: number | null;
  readonly limits: {
    readonly hot_session_capacity_target: number;
    readonly historical_session_retention_limit: number;
    readonly max_events_per_session: number;
    readonly max_messages_per_session: number;
  };
}
