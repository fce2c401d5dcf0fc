import type { CredentialKind, Principal } from '../kernel/principal.js';

const SEES_EVERY_PROJECT: ReadonlySet<CredentialKind> = new Set<CredentialKind>([
  'bootstrap',
  'local_owner',
  'api_token',
  'shared-key',
  'oauth2',
  'open',
]);

/**
 * Whether a principal may see projects beyond those that it was granted. A credential
 * that is bound to projects sees none without a grant, and no grant can be issued yet.
 */
export function seesEveryProject(principal: Principal): boolean {
  return SEES_EVERY_PROJECT.has(principal.credential);
}
