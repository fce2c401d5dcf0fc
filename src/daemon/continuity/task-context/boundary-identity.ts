import { createHash } from 'node:crypto';
import { incarnationFingerprint, type SessionSnapshot } from '../../sessions/index.js';
import type { AttemptBoundary } from '../../validation/index.js';

/** Where the latest attempt begins, as something that can be compared. */
export type BoundaryIdentity = {
  /** `task_boundary:v1:` and 64 hex; null when the begin has left the ledger. */
  readonly identity: string | null;
  /** The instruction that began it; null when there is none, or it has left. */
  readonly event_id: string | null;
};

const DOMAIN = 'webcodex.task-boundary.v1';

/**
 * Two contexts with the same identity are about the same attempt of the same life of a
 * Session. It is made of ids alone: no text can be guessed from it.
 */
export function boundaryIdentity({ session }: SessionSnapshot, boundary: AttemptBoundary): BoundaryIdentity {
  const eventId = boundary.instruction?.event_id ?? null;
  if (boundary.source === 'unavailable') return { identity: null, event_id: null };
  const incarnation = incarnationFingerprint(session);
  const digest = createHash('sha256').update([DOMAIN, incarnation, eventId ?? ''].join('\0')).digest('hex');
  return { identity: `task_boundary:v1:${digest}`, event_id: eventId };
}
