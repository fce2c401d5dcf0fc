import { isSessionRefAttempt, parseSessionId, parseSessionRef, type SessionId } from '../../protocol/ids.js';
import type { SelectorResolution, SessionLookup } from '../kernel/ports.js';
import type { Principal } from '../kernel/principal.js';
import type { CommitQueue } from '../storage/commit-queue.js';
import { incarnationFingerprint } from './incarnation.js';
import type { Ledger } from './ledger.js';
import type { RefStore } from './ref-store.js';
import { retentionExpired, unknownRef } from './refusals.js';
import { viewOf, type SessionHead } from './session-head.js';
import type { TombstoneStore } from './tombstone-store.js';

export interface SelectorParts {
  readonly ledger: Ledger;
  readonly refs: RefStore;
  readonly tombstones: TombstoneStore;
  readonly commits: CommitQueue;
}

/** From what a caller writes to a Session: canonical ids, `~sN`, and what is left of removed ones. */
export class Selectors {
  constructor(private readonly parts: SelectorParts) {}

  /** Raw selector to canonical id (spec 01 §1, "session_ref", rule 4). */
  resolve(raw: string, principal: Principal): SelectorResolution {
    if (isSessionRefAttempt(raw)) return this.resolveRef(raw, principal);
    const sessionId = parseSessionId(raw);
    return sessionId === null ? { malformed: raw } : { resolved: sessionId };
  }

  /** An exact look-up. It is an access only of the Session's owner, so that nobody else's guess keeps it retained. */
  lookUp(sessionId: SessionId, principal: Principal): SessionLookup {
    const head = this.parts.ledger.head(sessionId);
    if (head !== null) {
      if (owns(principal, head)) this.parts.ledger.touch(sessionId);
      return { found: 'session', session: viewOf(head) };
    }
    const tombstone = this.parts.tombstones.find(sessionId);
    return tombstone !== null && owns(principal, tombstone) ? { found: 'expired', sessionId } : { found: 'nothing' };
  }

  /**
   * The `~sN` of each Session that the principal owns, minted where there is none, in
   * one commit; null for foreign ones, and for all new ones when the commit failed.
   */
  refsFor(heads: readonly SessionHead[], principal: Principal): (string | null)[] {
    const { refs, commits } = this.parts;
    const pins = heads.map((head) =>
      owns(principal, head) ? { sessionId: head.sessionId, incarnation: incarnationFingerprint(head) } : null,
    );
    const known = pins.map((pin) => (pin === null ? null : refs.find(principal.principalKey, pin)));
    if (pins.every((pin, index) => pin === null || known[index] !== null)) return known.map(refText);
    let written = known;
    let durable = known;
    const commit = commits.enqueue(
      () => {
        // Looked for again: a work before this one may have minted the same.
        written = pins.map((pin) =>
          pin === null ? null : (refs.find(principal.principalKey, pin) ?? refs.mint(principal.principalKey, pin)),
        );
      },
      () => {
        durable = written;
      },
    );
    // A ref that did not become durable is not given out; the store's own status says why.
    commit.catch(() => undefined);
    commits.flush();
    return durable.map(refText);
  }

  private resolveRef(raw: string, principal: Principal): SelectorResolution {
    const number = parseSessionRef(raw) === null ? NaN : Number(raw.slice(2));
    if (!Number.isSafeInteger(number)) return { failure: unknownRef() };
    const pinned = this.parts.refs.pinned(principal.principalKey, number);
    if (pinned === null) return { failure: unknownRef() };
    const head = this.parts.ledger.head(pinned.sessionId);
    if (head !== null) {
      const same = owns(principal, head) && incarnationFingerprint(head) === pinned.incarnation;
      return same ? { resolved: pinned.sessionId } : { failure: unknownRef() };
    }
    const tombstone = this.parts.tombstones.find(pinned.sessionId);
    const expired = tombstone !== null && owns(principal, tombstone) && tombstone.incarnation === pinned.incarnation;
    return expired ? { failure: retentionExpired(pinned.sessionId) } : { failure: unknownRef() };
  }
}

function owns(principal: Principal, owned: { readonly ownerFingerprint: string }): boolean {
  return principal.fingerprint !== null && principal.fingerprint === owned.ownerFingerprint;
}

function refText(number: number | null): string | null {
  return number === null ? null : `~s${number}`;
}
