import type { SessionId } from '../../protocol/ids.js';

export type LedgerFindingKind =
  /** A row is not what this program writes; it is kept, and refused. */
  | 'row_unreadable'
  /** A restore would drop it, or something of it. */
  | 'restore_would_drop'
  /** The event, or the one before it, is other than when it was written. */
  | 'event_changed'
  /** An event between others is gone. */
  | 'event_missing'
  /** The newest or the oldest events are gone without having been evicted. */
  | 'tail_cut'
  /** The chain does not lead to the digest in the Session's row, or does not begin at its genesis. */
  | 'chain_broken'
  /** Rows written before chains existed; they get theirs by themselves. */
  | 'chain_absent'
  /** A Session's counts do not fit its rows. */
  | 'counts_mismatch'
  /** Rows of a Session that does not exist. */
  | 'orphan_rows'
  /** The ledger does not contain what the anchor says. */
  | 'anchor_mismatch';

/** Something that a sound ledger does not have. */
export interface LedgerFinding {
  readonly kind: LedgerFindingKind;
  readonly sessionId: SessionId | null;
  /** The absolute sequence of the event that it is about. */
  readonly sequence: number | null;
  /** One sentence for a person. */
  readonly message: string;
}

/** What an anchor proves of a ledger. */
export interface AnchorVerdict {
  /** `unknown`: the line is none, or its list is no longer kept here; then it proves nothing. */
  readonly status: 'contained' | 'contradicted' | 'unknown';
  /** Unix seconds. */
  readonly madeAt: number | null;
  /** Sessions that still contain exactly the history of the anchor. */
  readonly proven: number;
  /** Sessions whose anchored event was evicted since, so that nothing can be proven of it any more. */
  readonly evicted: number;
  /** Sessions that expired since and left a tombstone. */
  readonly expired: number;
  /** Sessions that are gone together with their tombstone, as bounded history does: nothing can be proven of them. */
  readonly gone: number;
  readonly contradicted: number;
}

export interface LedgerVerification {
  /** No findings, and no anchor that is contradicted or unknown. */
  readonly sound: boolean;
  readonly sessionsChecked: number;
  readonly eventsChecked: number;
  readonly messagesChecked: number;
  readonly tombstonesChecked: number;
  /** The first 1,000. */
  readonly findings: readonly LedgerFinding[];
  readonly findingsTotal: number;
  /** Null when none was asked for. */
  readonly anchor: AnchorVerdict | null;
}

export interface VerifyOptions {
  /** The line that `anchorLedger` gave. */
  readonly anchor?: string;
  /** Stops between two steps; the promise then rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Told after each Session. */
  readonly onProgress?: (checked: { readonly sessions: number; readonly ofSessions: number }) => void;
}

/** An anchor that was made and stored. */
export interface LedgerAnchor {
  /** To be kept outside: `wc-ledger-anchor:1:<unix seconds>:<sessions>:<64 hex>`. */
  readonly line: string;
  readonly madeAt: number;
  readonly sessions: number;
}
