import type { LedgerSession } from '../ledger-rows.js';
import type { Tombstone } from '../tombstone.js';
import type { RestoreNote } from './restore-notes.js';
import { restoreSession, type RestoreLimits } from './restore-session.js';
import { isTombstoneRow, restoreTombstone } from './tombstone-row.js';

/** A row of the document's `sessions`, judged. */
export type RestoredRow =
  | { readonly session: LedgerSession; readonly notes: readonly RestoreNote[] }
  | { readonly tombstone: Tombstone }
  | { readonly dropped: RestoreNote };

/** Judges one row by itself; whether it is a tombstone is settled first (spec 01 §4). Throws nothing. */
export function restoreRow(raw: unknown, limits: RestoreLimits): RestoredRow {
  if (isTombstoneRow(raw)) {
    const { row, notes } = restoreTombstone(raw);
    return row === null ? { dropped: notes[0] } : { tombstone: row };
  }
  const { row, notes } = restoreSession(raw, limits);
  return row === null ? { dropped: notes[0] } : { session: row, notes };
}
