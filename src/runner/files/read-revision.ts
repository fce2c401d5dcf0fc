import { createHash } from 'node:crypto';

/**
 * The number that names one snapshot of a file (spec 04 §7.5): 1..2^53-1, the first 53
 * bits of a SHA-256 over project, path and content digest. It is derived, not handed
 * out: a guard holds as long as the content does, and restarts of ours cost nobody a
 * re-read. It guards against change, not against forgery.
 *
 * @param realRelative where the file really lies, so that a link put in its place is another snapshot
 * @param sha256 lower hex digest of the whole content
 */
export function readRevision(project: string, realRelative: string, sha256: string): number {
  const digest = createHash('sha256')
    .update(['webcodex.read-revision.v1', project, realRelative, sha256].join('\0'))
    .digest();
  return Number(digest.readBigUInt64BE() >> 11n) || 1;
}
