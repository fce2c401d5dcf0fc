import type { Database } from 'better-sqlite3';
import type { OperatorRoute } from '../operator-route.js';
import type { Adapter } from '../kernel/call-context.js';
import type { Principal } from '../kernel/principal.js';
import type { CommitQueue } from '../storage/commit-queue.js';
import { bearerToken } from './bearer-token.js';
import { localOwner, managedUser } from './principal-of.js';
import { tokenRoutes } from './routes.js';
import { TokenStore } from './store.js';
import { Tokens } from './tokens.js';

export { principalsSchema } from './schema.js';

/** What a request says of its caller before anybody looked. */
export interface Caller {
  /** The raw `authorization` header. */
  readonly authorizationHeader: string | null;
  readonly adapter: Adapter;
  /** On the socket no token means its owner; a TCP listener asks everybody for one. */
  readonly listener: 'socket' | 'tcp';
}

/** Who a caller is, or that nobody is admitted. */
export type Admission = { readonly principal: Principal } | { readonly refused: 'invalid_token' };

/** Who calls (spec 04 §4; decision 4 of spec 00). */
export interface Principals {
  /**
   * Names the caller. A token that is wrong, revoked or expired is refused and never
   * falls back to the owner.
   */
  admit(caller: Caller): Admission;
  /** `POST /api/tokens/{create,list,revoke}`. */
  readonly routes: readonly OperatorRoute[];
}

/** What principals are made of. */
export interface PrincipalsDeps {
  readonly database: Database;
  readonly commits: CommitQueue;
  /** Unix seconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Buffer;
  /** The uid that owns the state folder, and with it the socket. */
  readonly ownerUid: number;
}

/** Principals over the tokens of a ledger that was migrated with `principalsSchema`. */
export function createPrincipals(deps: PrincipalsDeps): Principals {
  const tokens = new Tokens({ ...deps, store: new TokenStore(deps.database) });
  const owner = localOwner(deps.ownerUid, 'plain');
  const shim = localOwner(deps.ownerUid, 'mcp');
  return {
    admit: ({ authorizationHeader, adapter, listener }) => {
      const bearer = bearerToken(authorizationHeader);
      if (!bearer.presented) {
        if (listener === 'tcp') return { refused: 'invalid_token' };
        return { principal: isMcp(adapter) ? shim : owner };
      }
      const token = bearer.token === null ? null : tokens.recognize(bearer.token);
      return token === null ? { refused: 'invalid_token' } : { principal: managedUser(token.name, token.scopes) };
    },
    routes: tokenRoutes(tokens),
  };
}

function isMcp(adapter: Adapter): boolean {
  return adapter === 'mcp_legacy' || adapter === 'mcp_2026';
}
