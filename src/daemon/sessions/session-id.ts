import type { SessionId } from '../../protocol/ids.js';

/** How many ids are tried before allocation gives up (spec 01 §1). */
const TRIES = 16;
const RANDOM_BYTES = 12;

/**
 * Allocates a Session id: `wc_sess_` and 12 random bytes as 16 base64url characters.
 *
 * @param isOccupied whether a live Session or a tombstone has the id
 * @returns null when every try met an occupied id
 */
export function allocateSessionId(
  randomBytes: (size: number) => Buffer,
  isOccupied: (id: SessionId) => boolean,
): SessionId | null {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const id = `wc_sess_${randomBytes(RANDOM_BYTES).toString('base64url')}` as SessionId;
    if (!isOccupied(id)) return id;
  }
  return null;
}
