import { z } from 'zod';
import type { AuthorityFingerprint, IncarnationFingerprint, SessionId } from '../../../protocol/ids.js';
import { SESSION_ID_PATTERN } from '../../../protocol/ids.js';
import { MAX_EXPIRY_ORDINAL, type Tombstone } from '../tombstone.js';
import type { Restored } from './restore-notes.js';

/** The greatest ordinal that another writer's 64 bits may hold, as near as a number says it. */
const MAX_WRITTEN_ORDINAL = 2 ** 64;

const fingerprint = z.string().regex(/^[0-9a-f]{64}$/);

/** What is left of a removed Session, in the same array as the Session rows (spec 01 §4). */
const tombstoneRow = z.strictObject({
  retention_tombstone: z.strictObject({
    session_id: z.string().regex(SESSION_ID_PATTERN),
    owner_authority_fingerprint: fingerprint,
    incarnation_fingerprint: fingerprint,
    // Larger than what is counted exactly here, an ordinal still says its order against smaller ones.
    expiry_ordinal: z
      .number()
      .min(0)
      .max(MAX_WRITTEN_ORDINAL)
      .refine((ordinal) => Number.isInteger(ordinal)),
  }),
});
export type TombstoneRow = z.infer<typeof tombstoneRow>;

/** Whether a row is a tombstone, however malformed: that is settled before anything else is. */
export function isTombstoneRow(raw: unknown): boolean {
  return typeof raw === 'object' && raw !== null && Object.hasOwn(raw, 'retention_tombstone');
}

/** A row that `isTombstoneRow` takes for one, judged by itself. */
export function restoreTombstone(raw: unknown): Restored<Tombstone> {
  const parsed = tombstoneRow.safeParse(raw);
  if (!parsed.success) return { row: null, notes: [{ reason: 'malformed_tombstone', at: '' }] };
  const row = parsed.data.retention_tombstone;
  return {
    row: {
      sessionId: row.session_id as SessionId,
      ownerFingerprint: row.owner_authority_fingerprint as AuthorityFingerprint,
      incarnation: row.incarnation_fingerprint as IncarnationFingerprint,
      expiryOrdinal: Math.min(MAX_EXPIRY_ORDINAL, row.expiry_ordinal),
    },
    notes: [],
  };
}

/** A tombstone as a row of the document. */
export function tombstoneRowOf(tombstone: Tombstone): TombstoneRow {
  return {
    retention_tombstone: {
      session_id: tombstone.sessionId,
      owner_authority_fingerprint: tombstone.ownerFingerprint,
      incarnation_fingerprint: tombstone.incarnation,
      expiry_ordinal: tombstone.expiryOrdinal,
    },
  };
}
