import { createHash } from 'node:crypto';

/** Where a diff goes on: the snapshot that it stands on, the request that it belongs to, the hunks that were given. */
export interface Continuation {
  /** 32 hex characters, from the Runner. */
  readonly snapshot: string;
  /** 32 hex characters, from `requestDigest`. */
  readonly request: string;
  readonly hunks: number;
}

const VERSION = 1;
const CHECK_BYTES = 6;
const BODY_BYTES = 1 + 16 + 16 + 4;

/**
 * What a continuation is bound to: whoever asks, in which project and Session, for
 * which two sides and paths. The bounds of a page may differ from page to page.
 */
export function requestDigest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** A continuation as a token of 58 characters. It grants nothing: it only says where to go on. */
export function encodeContinuation({ snapshot, request, hunks }: Continuation): string {
  const body = Buffer.alloc(BODY_BYTES);
  body.writeUInt8(VERSION, 0);
  body.write(snapshot, 1, 'hex');
  body.write(request, 17, 'hex');
  body.writeUInt32BE(hunks, 33);
  return Buffer.concat([body, check(body)]).toString('base64url');
}

/** Reads a token; null when it is none of ours, damaged or cut. */
export function decodeContinuation(token: string): Continuation | null {
  const bytes = Buffer.from(token, 'base64url');
  const body = bytes.subarray(0, BODY_BYTES);
  // Whatever decodes to the same bytes is still another text, and no token of ours.
  const isExact = bytes.length === BODY_BYTES + CHECK_BYTES && bytes.toString('base64url') === token;
  if (!isExact || body.readUInt8(0) !== VERSION || !check(body).equals(bytes.subarray(BODY_BYTES))) return null;
  return { snapshot: body.toString('hex', 1, 17), request: body.toString('hex', 17, 33), hunks: body.readUInt32BE(33) };
}

function check(body: Buffer): Buffer {
  return createHash('sha256').update('webcodex.continuation').update(body).digest().subarray(0, CHECK_BYTES);
}
