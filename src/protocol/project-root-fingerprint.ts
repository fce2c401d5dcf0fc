import { createHash } from 'node:crypto';
import type { RootFingerprint } from './ids.js';

/** What tells one folder from another that was put in its place. */
export interface RootIdentity {
  /** The absolute path with every link resolved. */
  readonly realpath: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * The fingerprint of a project root: lower hex SHA-256 over
 * `webcodex.project-root.v1` NUL realpath NUL dev NUL ino, numbers in decimal.
 * The registry stores it; the Runner computes it anew for every request.
 */
export function projectRootFingerprint(root: RootIdentity): RootFingerprint {
  return createHash('sha256')
    .update(['webcodex.project-root.v1', root.realpath, root.dev.toString(), root.ino.toString()].join('\0'))
    .digest('hex') as RootFingerprint;
}
