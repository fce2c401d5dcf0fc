import { createHash } from 'node:crypto';

/** All that must be known before two events may be told to be about the same Job. */
export interface JobScopes {
  readonly principalKind: string;
  readonly principalId: string;
  readonly windowKey: string;
  readonly project: string;
  readonly session: string;
  readonly job: string;
}

const DOMAIN = 'webcodex-job-ergonomics-v1';

/**
 * A digest by which the events of one daemon's life can be told to be about the same Job,
 * and nothing else: the salt dies with the process (spec 05 §6).
 *
 * @param salt 16 random bytes
 * @returns 64 hex digits
 */
export function jobRelation(salt: Buffer, scopes: JobScopes): string {
  const hash = createHash('sha256').update(DOMAIN, 'ascii').update(salt);
  const { principalKind, principalId, windowKey, project, session, job } = scopes;
  for (const part of [principalKind, principalId, windowKey, project, session, job]) {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(bytes.length));
    hash.update(length).update(bytes);
  }
  return hash.digest('hex');
}
