import type { AuthorityFingerprint, MessageId, ProjectId, SessionId } from '../../protocol/ids.js';
import type { SessionExecutionContext, SessionGuards } from '../kernel/ports.js';
import type { SessionEvent } from './event-row.js';
import type { SessionMessage } from './message-row.js';
import type { Tombstone } from './tombstone.js';

/*
 * The rows of the ledger as a document has them: what an export reads and an import
 * writes. A Session is one value here, since it is one row of the document.
 */

/** A message, and the last revision of the board that changed it. */
export interface LedgerMessage {
  readonly message: SessionMessage;
  readonly revision: number;
}

/** What a message board says beside its messages (spec 01 §4, spec 02 §A4–A5). */
export interface LedgerBoard {
  readonly observationRevision: number;
  /** The highest last revision of a removed message. */
  readonly observationFloor: number;
  /** Of a todo: the revision up to which replies to it may have been removed. */
  readonly assignmentHistoryFloors: ReadonlyMap<MessageId, number>;
  readonly assignmentHistoryTrackingComplete: boolean;
  /** Of a completed todo: 64 hex. */
  readonly completionFences: ReadonlyMap<MessageId, string>;
  readonly completionFenceTrackingComplete: boolean;
  /** By `64hex:64hex`, the Session's and the key's digests. */
  readonly deliveryReplays: ReadonlyMap<string, DeliveryReplay>;
}

/** A keyed post that is remembered as long as its message is retained. */
export interface DeliveryReplay {
  /** 64 hex. */
  readonly payloadFingerprint: string;
  readonly messageId: MessageId;
}

/** How the chain of a Session's events begins, and what binds it (spec 00, decision 41). */
export interface LedgerChain {
  /**
   * What the genesis binds: the Session's incarnation alone (`created`), also the place in a
   * tail that older rows were taken over at (`adopted`), or the digest of the document that
   * the Session was imported from (`imported`).
   */
  readonly origin: 'created' | 'adopted' | 'imported';
  /** Of the document, 64 hex; null unless imported. */
  readonly documentDigest: string | null;
  /** The absolute sequence of the first event that the chain ever had. */
  readonly start: number;
  /** The digest before the first retained event: of the last evicted one, or the genesis. 64 hex. */
  readonly anchor: string;
  /** The digest of the newest event; the anchor when there is none. 64 hex. */
  readonly head: string;
}

/** A Session as one row of the document: its head, its tail and its board. */
export interface LedgerSession {
  readonly sessionId: SessionId;
  readonly ownerFingerprint: AuthorityFingerprint;
  readonly project: ProjectId | null;
  readonly title: string | null;
  readonly mode: 'normal' | 'read_only';
  readonly guards: SessionGuards;
  readonly executionContext: SessionExecutionContext;
  readonly lifecycle: 'active' | 'closed';
  /** Unix seconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** At least as many as there are `events`; the newest of them has the sequence `eventsObserved - 1`. */
  readonly eventsObserved: number;
  readonly events: readonly SessionEvent[];
  /** Oldest first. */
  readonly messages: readonly LedgerMessage[];
  readonly board: LedgerBoard;
  /** Oldest first, at most 64. */
  readonly materializedValidationJobIds: readonly string[];
  readonly gitBaselineTree: string | null;
  readonly repositoryEditObserved: boolean;
  /** Null in an import without a chain, and in an export of rows that have none yet. */
  readonly chain: LedgerChain | null;
}

/** One row of a document, in its order: Sessions by access, then tombstones by ordinal. */
export type LedgerPart =
  | { readonly session: LedgerSession }
  /** A Session whose rows break their rules: it cannot be shown, and stays where it is. */
  | { readonly unreadable: SessionId }
  | { readonly tombstone: Tombstone };

/** The ledger as it was at one moment. Close it when done, also after a failure. */
export interface LedgerExport {
  readonly sessions: number;
  readonly tombstones: number;
  /** Reads one Session at a time; a slow consumer holds nobody up. */
  parts(): AsyncIterable<LedgerPart>;
  close(): void;
}

/** What an import begins from. */
export interface ImportProvenance {
  /** SHA-256 of the document's bytes, 64 lower hex; new chains bind it. */
  readonly documentDigest: string;
}

/** Why an import did not begin; nothing was changed. */
export type ImportRefusal =
  | { readonly refused: 'ledger_not_empty'; readonly sessions: number; readonly tombstones: number }
  | { readonly refused: 'import_in_progress' };

/** What an import left in the ledger. */
export interface ImportCounts {
  readonly sessions: number;
  readonly events: number;
  readonly messages: number;
  readonly tombstones: number;
  /** Closed Sessions that the historical limit removed again. */
  readonly pruned: number;
}

/**
 * An import under way: nobody sees anything of it before `finish`. Until then calls find
 * no Session, and whatever would create one is refused with `ledger_import_in_progress`;
 * a daemon that dies meanwhile finds an empty ledger at its next start.
 */
export interface LedgerImport {
  /**
   * Writes one Session, bounded to the newest events that the limits allow; its messages are
   * bounded by the rules of restore. With a chain, give all events that the chain is about.
   *
   * @returns `duplicate` when the document had its id before, `chain_mismatch` when its
   * events do not lead from the chain's anchor to its head; nothing of it was written then
   */
  add(session: LedgerSession): Promise<'added' | 'duplicate' | 'chain_mismatch'>;
  /**
   * Publishes all of it in one commit, then applies the limits, as a start does.
   *
   * @param tombstones those kept by the rules of restore, and the greatest ordinal of the document
   */
  finish(tombstones: { readonly kept: readonly Tombstone[]; readonly greatestOrdinal: number }): Promise<ImportCounts>;
  /** Empties the ledger again. */
  abandon(): Promise<void>;
}

/** What is in the ledger, from its heads: cheap at any size. */
export interface LedgerStats {
  readonly sessions: number;
  readonly activeSessions: number;
  readonly closedSessions: number;
  readonly events: number;
  readonly eventsObserved: number;
  readonly messages: number;
  readonly tombstones: number;
  readonly sessionRefs: number;
  readonly anchors: number;
  /** Unix seconds; null in an empty ledger. */
  readonly oldestCreatedAt: number | null;
  readonly newestUpdatedAt: number | null;
  /** Of `ledger.db` with all its domains, without the write-ahead log. */
  readonly databaseBytes: number;
}
