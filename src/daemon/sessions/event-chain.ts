import { hash } from 'node:crypto';
import type { IncarnationFingerprint, SessionId } from '../../protocol/ids.js';
import type { EventBody } from './event-body.js';
import type { LedgerChain } from './ledger-rows.js';

/** A SHA-256. */
export type Digest = Buffer;
const DIGEST_BYTES = 32;

/** A digest of a column; null for anything that is none. */
export function digestOf(value: unknown): Digest | null {
  return Buffer.isBuffer(value) && value.length === DIGEST_BYTES ? value : null;
}

/** The chain of a Session's events as its row holds it. */
export interface EventChain extends Pick<LedgerChain, 'origin' | 'documentDigest' | 'start'> {
  /** Before the first retained event. */
  readonly anchor: Digest;
  /** Of the newest event. */
  readonly head: Digest;
}

/** What a genesis binds: a chain cannot be passed off as that of another Session, or of another beginning. */
export interface Genesis extends Pick<LedgerChain, 'origin' | 'documentDigest' | 'start'> {
  readonly incarnation: IncarnationFingerprint;
}

/**
 * The digest before the first event (spec 00, decision 41): SHA-256 over a domain tag, the
 * incarnation, how the chain came to be, the sequence that it starts at and the document's
 * digest or nothing, parted by NUL.
 */
export function genesisDigest({ incarnation, origin, start, documentDigest }: Genesis): Digest {
  return sha256(['webcodex.session-event-chain.genesis.v1', incarnation, origin, String(start), documentDigest ?? '']);
}

/**
 * The digest of an event: SHA-256 over a domain tag, the digest before in lower hex, the
 * Session's id, the event's absolute sequence, its kind and its body as they are stored,
 * parted by NUL. None of the parts before the body can hold a NUL.
 */
export function eventDigest(previous: Digest, sessionId: SessionId, sequence: number, event: EventBody): Digest {
  return sha256([
    'webcodex.session-event-chain.event.v1',
    previous.toString('hex'),
    sessionId,
    String(sequence),
    event.kind,
    event.body,
  ]);
}

/** A chain without events. */
export function newChain(genesis: Genesis): EventChain {
  const anchor = genesisDigest(genesis);
  const { origin, documentDigest, start } = genesis;
  return { origin, documentDigest, start, anchor, head: anchor };
}

/** The chain as documents show it. */
export function shownChain({ origin, documentDigest, start, anchor, head }: EventChain): LedgerChain {
  return { origin, documentDigest, start, anchor: anchor.toString('hex'), head: head.toString('hex') };
}

function sha256(parts: readonly string[]): Digest {
  return hash('sha256', parts.join('\0'), 'buffer');
}
