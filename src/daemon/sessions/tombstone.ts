import type { AuthorityFingerprint, IncarnationFingerprint, SessionId } from '../../protocol/ids.js';

/** What is left of a removed Session: enough to tell its owner, and nobody else, that it expired. */
export interface Tombstone {
  readonly sessionId: SessionId;
  readonly ownerFingerprint: AuthorityFingerprint;
  readonly incarnation: IncarnationFingerprint;
  /** Only the order counts: the lowest goes first. */
  readonly expiryOrdinal: number;
}

/** The greatest ordinal; whatever a document says beyond it counts as this (spec 01 §6.8). */
export const MAX_EXPIRY_ORDINAL = Number.MAX_SAFE_INTEGER;

/** How the next ordinal is come by. */
export type OrdinalAllocation =
  | { readonly ordinal: number }
  /** None is left above: the retained ones become 1..n in their order, and this is n + 1. */
  | { readonly renumberFirst: true; readonly ordinal: number };

/**
 * The ordinal of the next tombstone: one above the greatest that was ever seen; never
 * wrapped, never stopped at.
 *
 * @param greatest the greatest ordinal ever seen, 0 when there was none
 * @param retained how many tombstones are retained
 */
export function nextOrdinal(greatest: number, retained: number): OrdinalAllocation {
  if (greatest < MAX_EXPIRY_ORDINAL) return { ordinal: greatest + 1 };
  return { renumberFirst: true, ordinal: retained + 1 };
}

/** Tombstones after a restore. */
export interface RestoredTombstones {
  readonly kept: readonly Tombstone[];
  readonly dropped: readonly Tombstone[];
  /** Dropped rows count as well, so that no ordinal comes twice. */
  readonly greatestOrdinal: number;
}

/**
 * The rules of restore (spec 01 §4): a live Session wins over its tombstone; of two with
 * one id the greater ordinal stays, of two with one ordinal the first in the document.
 *
 * @param rows in document order
 */
export function restoreTombstones(
  rows: readonly Tombstone[],
  isLive: (id: SessionId) => boolean,
): RestoredTombstones {
  const ofOrdinal = new Map<number, Tombstone>();
  const ofId = new Map<SessionId, Tombstone>();
  let greatestOrdinal = 0;
  for (const row of rows.map(saturated)) {
    greatestOrdinal = Math.max(greatestOrdinal, row.expiryOrdinal);
    if (ofOrdinal.has(row.expiryOrdinal)) continue;
    ofOrdinal.set(row.expiryOrdinal, row);
    const other = ofId.get(row.sessionId);
    if (other === undefined || other.expiryOrdinal < row.expiryOrdinal) ofId.set(row.sessionId, row);
  }
  const kept = [...ofId.values()]
    .filter((row) => !isLive(row.sessionId))
    .sort((one, other) => one.expiryOrdinal - other.expiryOrdinal);
  const keptRows = new Set(kept.map((row) => `${row.sessionId} ${row.expiryOrdinal}`));
  return { kept, dropped: rows.filter((row) => !keptRows.has(`${row.sessionId} ${row.expiryOrdinal}`)), greatestOrdinal };
}

function saturated(row: Tombstone): Tombstone {
  return row.expiryOrdinal <= MAX_EXPIRY_ORDINAL ? row : { ...row, expiryOrdinal: MAX_EXPIRY_ORDINAL };
}
