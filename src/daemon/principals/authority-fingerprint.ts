import { createHash } from 'node:crypto';
import type { AuthorityFingerprint } from '../../protocol/ids.js';
import type { AuthorityGroup } from '../kernel/principal.js';

/**
 * The authority fingerprint (spec 01 §1): lower hex SHA-256 over
 * `webcodex.workflow-session-authority.v1` NUL kind NUL stable id. A Session keeps
 * only this digest; scopes, window, transport and the form of a token never enter.
 */
export function authorityFingerprint(group: AuthorityGroup): AuthorityFingerprint {
  return createHash('sha256')
    .update(['webcodex.workflow-session-authority.v1', group.kind, group.stableId].join('\0'))
    .digest('hex') as AuthorityFingerprint;
}
