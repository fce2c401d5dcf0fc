import type { AuthorityFingerprint } from '../../protocol/ids.js';
import type { Scope } from '../../protocol/scopes.js';

/** How a caller was recognized (spec 04 §4; decision 4 of spec 00). */
export type CredentialKind =
  | 'bootstrap'
  | 'local_owner'
  | 'api_token'
  | 'shared-key'
  | 'project-credential'
  | 'oauth2'
  | 'open';

/** The authority group that owns Sessions: immutable, independent of scopes, window and transport. */
export interface AuthorityGroup {
  readonly kind: 'local-owner' | 'managed-user' | 'bootstrap' | 'shared-key' | 'project-grant' | 'anonymous';
  readonly stableId: string;
}

/** The caller of one request. */
export interface Principal {
  readonly credential: CredentialKind;
  /** `uid:1000` for the socket owner, the token's name for a token; audit attribution. */
  readonly userId: string | null;
  readonly oauthClientId: string | null;
  readonly authority: AuthorityGroup | null;
  /** The digest of `authority`, null where there is no stable identity. */
  readonly fingerprint: AuthorityFingerprint | null;
  /** The key of principal-scoped rows (`~sN`, `~pN`): stable over time, no secret. */
  readonly principalKey: string;
  readonly scopes: ReadonlySet<Scope>;
}
