import { OneAtATime } from '../one-at-a-time.js';
import type { CommitQueue } from '../storage/commit-queue.js';
import type { Scope } from '../../protocol/scopes.js';
import { isTokenForm, newToken, sameDigest, tokenDigest } from './token-secret.js';
import type { StoredToken, TokenStore } from './store.js';

/** Tokens in force at once; every admission compares with each of them. */
const MAX_IN_FORCE = 256;
/** Ended tokens that a listing still shows. */
const MAX_ENDED = 256;

/** A token as it may be shown: everything but the secret. */
export interface TokenView {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly state: 'in_force' | 'expired' | 'revoked';
}

/** A new token with its secret, this once; or why there is none. */
export type CreateOutcome =
  | { readonly created: { readonly token: string; readonly view: TokenView } }
  | { readonly refused: 'token_name_taken' | 'token_limit_reached' };

/**
 * Named tokens (spec 00, decision 4): created, listed, revoked, and recognized. The
 * secret leaves `create` once; the store holds its SHA-256.
 */
export class Tokens {
  private known: readonly StoredToken[];
  private readonly changes = new OneAtATime();

  constructor(
    private readonly deps: {
      readonly store: TokenStore;
      readonly commits: CommitQueue;
      /** Unix seconds. */
      readonly now: () => number;
      readonly randomBytes: (size: number) => Buffer;
    },
  ) {
    this.known = deps.store.all();
  }

  /** The token in force that `secret` is, or null: unknown, revoked and expired ones look alike. */
  recognize(secret: string): StoredToken | null {
    if (!isTokenForm(secret)) return null;
    const digest = tokenDigest(secret);
    let found: StoredToken | null = null;
    for (const token of this.known) {
      if (sameDigest(token.sha256, digest) && this.stateOf(token) === 'in_force') found = token;
    }
    return found;
  }

  list(): readonly TokenView[] {
    return this.known.map((token) => this.view(token));
  }

  /** @throws CommitFailedError when the store could not keep it; nothing was created then */
  create(name: string, scopes: readonly Scope[], expiresInSecs: number | null): Promise<CreateOutcome> {
    return this.changes.run(async () => {
      const named = this.known.find((token) => token.name === name && token.revokedAt === null);
      if (named !== undefined && this.stateOf(named) === 'in_force') return { refused: 'token_name_taken' };
      const inForce = this.known.filter((token) => this.stateOf(token) === 'in_force');
      if (inForce.length >= MAX_IN_FORCE) return { refused: 'token_limit_reached' };
      const createdAt = this.deps.now();
      const secret = newToken(this.deps.randomBytes);
      const sha256 = tokenDigest(secret);
      await this.change((store) => {
        // An expired token gives its name free.
        store.revoke(name, createdAt);
        store.insert({
          name,
          sha256,
          scopes,
          createdAt,
          expiresAt: expiresInSecs === null ? null : createdAt + expiresInSecs,
        });
        store.forgetEnded(MAX_ENDED);
      });
      const stored = this.known.find((token) => token.sha256 === sha256);
      if (stored === undefined) throw new Error('a committed token is not in the store');
      return { created: { token: secret, view: this.view(stored) } };
    });
  }

  /** Ends a token at once. Null when no token of that name was in force. */
  revoke(name: string): Promise<TokenView | null> {
    return this.changes.run(async () => {
      const token = this.known.find((candidate) => candidate.name === name && candidate.revokedAt === null);
      if (token === undefined) return null;
      await this.change((store) => store.revoke(name, this.deps.now()));
      const revoked = this.known.find((candidate) => candidate.tokenId === token.tokenId);
      return revoked === undefined ? null : this.view(revoked);
    });
  }

  private async change(write: (store: TokenStore) => void): Promise<void> {
    await this.deps.commits.enqueue(() => write(this.deps.store));
    this.known = this.deps.store.all();
  }

  private stateOf(token: StoredToken): TokenView['state'] {
    if (token.revokedAt !== null) return 'revoked';
    return token.expiresAt !== null && token.expiresAt <= this.deps.now() ? 'expired' : 'in_force';
  }

  private view(token: StoredToken): TokenView {
    return {
      name: token.name,
      scopes: token.scopes,
      created_at: token.createdAt,
      expires_at: token.expiresAt,
      revoked_at: token.revokedAt,
      state: this.stateOf(token),
    };
  }
}
