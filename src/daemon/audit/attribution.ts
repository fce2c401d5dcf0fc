import type { Principal } from '../kernel/principal.js';

/** Who called, frozen when the request was admitted; nothing else ever fills these columns. */
export interface Attribution {
  readonly principal_kind: string | null;
  readonly principal_user_id: string | null;
  readonly oauth_client_id: string | null;
  /** The canonical principal that windows are paired by; null for an anonymous one. */
  readonly principal_correlation_kind: string | null;
  readonly principal_correlation_id: string | null;
}

export const UNATTRIBUTED: Attribution = {
  principal_kind: null,
  principal_user_id: null,
  oauth_client_id: null,
  principal_correlation_kind: null,
  principal_correlation_id: null,
};

/** The attribution of a caller (spec 05 §3). Only an OAuth2 access token names an OAuth client. */
export function attributionOf(principal: Principal): Attribution {
  const { credential, userId, oauthClientId, authority } = principal;
  const anonymous = authority === null || authority.kind === 'anonymous';
  return {
    principal_kind: credential,
    principal_user_id: userId,
    oauth_client_id: credential === 'oauth2' ? oauthClientId : null,
    principal_correlation_kind: anonymous ? null : authority.kind,
    principal_correlation_id: anonymous ? null : principal.principalKey,
  };
}
