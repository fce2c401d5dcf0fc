import { LOCAL_OWNER_SCOPES, MCP_SHIM_SCOPES, type Scope } from '../../protocol/scopes.js';
import type { AuthorityGroup, CredentialKind, Principal } from '../kernel/principal.js';
import { authorityFingerprint } from './authority-fingerprint.js';

/**
 * The owner of the state folder, who alone can open its socket. The MCP shim is the
 * same owner with the scopes of work on a project (spec 00, decisions 4 and 44).
 */
export function localOwner(uid: number, surface: 'plain' | 'mcp'): Principal {
  const stableId = `uid:${uid}`;
  return principal('local_owner', stableId, { kind: 'local-owner', stableId }, surface === 'mcp' ? MCP_SHIM_SCOPES : LOCAL_OWNER_SCOPES);
}

/**
 * The managed user that a named token stands for. The name is the identity, not the
 * secret: whoever replaces a token under the same name keeps that user's Sessions.
 */
export function managedUser(name: string, scopes: readonly Scope[]): Principal {
  return principal('api_token', name, { kind: 'managed-user', stableId: name }, scopes);
}

function principal(
  credential: CredentialKind,
  userId: string,
  authority: AuthorityGroup,
  scopes: readonly Scope[],
): Principal {
  return {
    credential,
    userId,
    oauthClientId: null,
    authority,
    fingerprint: authorityFingerprint(authority),
    principalKey: `${authority.kind}:${authority.stableId}`,
    scopes: new Set(scopes),
  };
}
