import { createHash, timingSafeEqual } from 'node:crypto';

/** What every token of ours starts with, so that secret scanners and people know one. */
const TOKEN_PREFIX = 'wc_pat_';

const SECRET_BYTES = 32;
const FORM = /^wc_pat_[A-Za-z0-9_-]{43}$/;

/** A new token: `wc_pat_` and 32 random bytes in base64url. It is shown once and kept nowhere. */
export function newToken(randomBytes: (size: number) => Buffer): string {
  return TOKEN_PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
}

/** What a store keeps of a token: lower hex SHA-256. 256 random bits need no salt and no stretching. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether `token` has the form that `newToken` gives; anything else is not worth a look-up. */
export function isTokenForm(token: string): boolean {
  return FORM.test(token);
}

/** Compares two digests in a time that tells nothing about where they differ. */
export function sameDigest(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
