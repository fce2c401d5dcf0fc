import { createHash } from 'node:crypto';
import type { AuthorityFingerprint, IncarnationFingerprint, ProjectId, SessionId } from '../../protocol/ids.js';

/** What makes one life of a Session id: none of it ever changes. */
export interface Incarnation {
  readonly sessionId: SessionId;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly project: ProjectId | null;
  readonly ownerFingerprint: AuthorityFingerprint;
}

/**
 * The incarnation fingerprint (spec 01 §1): lower hex SHA-256 over a domain tag, id,
 * creation time, project or nothing, and owner, parted by NUL. Refs and tombstones pin it.
 */
export function incarnationFingerprint(life: Incarnation): IncarnationFingerprint {
  const parts = [
    'webcodex.workflow-session-incarnation.v1',
    life.sessionId,
    String(life.createdAt),
    life.project ?? '',
    life.ownerFingerprint,
  ];
  return createHash('sha256').update(parts.join('\0')).digest('hex') as IncarnationFingerprint;
}
