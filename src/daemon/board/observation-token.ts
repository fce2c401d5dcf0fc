import type { SessionView } from '../kernel/ports.js';
import { digestOf } from './digest.js';

/*
 * The cursor of a message observation (spec 02 §A4): opaque, bound to one incarnation of one
 * Session and to one revision of its board. It is no authority, so that it needs no secret:
 * what it carries is checked by a digest that every daemon over the same ledger computes
 * alike, which is why a token outlives a restart.
 */

const MAX_CHARACTERS = 192;
const VERSION = 1;
const REVISION_BYTES = 8;
const DIGEST_BYTES = 20;

type Life = Pick<SessionView, 'sessionId' | 'createdAt' | 'ownerFingerprint'>;

/** The token of a revision. */
export function messageObservationToken(session: Life, revision: number): string {
  const head = Buffer.alloc(1 + REVISION_BYTES);
  head.writeUInt8(VERSION, 0);
  head.writeBigUInt64BE(BigInt(revision), 1);
  return Buffer.concat([head, digest(session, revision)]).toString('base64url');
}

/** The revision in a token; null for whatever was not issued for exactly this Session. */
export function observedRevision(session: Life, token: string): number | null {
  if (token.length > MAX_CHARACTERS) return null;
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== 1 + REVISION_BYTES + DIGEST_BYTES) return null;
  const revision = Number(bytes.readBigUInt64BE(1));
  if (!Number.isSafeInteger(revision)) return null;
  // The one encoding of its revision: base64 ignores what it does not know.
  return messageObservationToken(session, revision) === token ? revision : null;
}

function digest({ sessionId, createdAt, ownerFingerprint }: Life, revision: number): Buffer {
  return digestOf('wc.message-observation.v1', [sessionId, createdAt, ownerFingerprint, revision]).subarray(0, DIGEST_BYTES);
}
