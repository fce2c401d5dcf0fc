import type { JobId } from '../../protocol/ids.js';
import { CommitFailedError, type CommitQueue } from '../storage/commit-queue.js';
import type { AccessOrder } from './access-order.js';
import { encodeEvent, type EventBody } from './event-body.js';
import { eventDigest, newChain, type Digest, type EventChain } from './event-chain.js';
import type { ImportFlag, ImportRemoval } from './half-import.js';
import { incarnationFingerprint } from './incarnation.js';
import type { Ledger } from './ledger.js';
import type { ImportCounts, ImportProvenance, ImportRefusal, LedgerImport, LedgerSession } from './ledger-rows.js';
import type { SessionLimits } from './limits.js';
import type { MessageStore } from './message-store.js';
import type { Retention } from './retention.js';
import type { SessionHead } from './session-head.js';
import type { SessionStore } from './store.js';
import type { Tombstone } from './tombstone.js';
import type { TombstoneStore } from './tombstone-store.js';
import type { ValidationMarkerStore } from './validation-marker-store.js';

/** Events that one commit writes. */
const EVENTS_PER_COMMIT = 500;

export interface ImportParts {
  readonly store: SessionStore;
  readonly tombstones: TombstoneStore;
  readonly messages: MessageStore;
  readonly markers: ValidationMarkerStore;
  readonly flag: ImportFlag;
  readonly removal: ImportRemoval;
  readonly commits: CommitQueue;
  readonly ledger: Ledger;
  readonly order: AccessOrder;
  readonly retention: Retention;
  readonly limits: SessionLimits;
  /** Called when an import was published and the limits are applied. */
  readonly published: () => void;
}

/** @throws CommitFailedError */
export async function beginImport(
  parts: ImportParts,
  provenance: ImportProvenance,
): Promise<LedgerImport | ImportRefusal> {
  const { store, tombstones, commits, ledger, flag } = parts;
  let refusal = null as ImportRefusal | null;
  try {
    await commits.enqueue(() => {
      refusal = null;
      const [sessions, buried] = [store.order().length, tombstones.count()];
      if (flag.isSet) refusal = { refused: 'import_in_progress' };
      else if (sessions + buried > 0) refusal = { refused: 'ledger_not_empty', sessions, tombstones: buried };
      if (refusal !== null) return;
      flag.set();
      // At once: a creation behind this in the same commit must see it.
      ledger.hide(true);
    });
  } catch (error) {
    if (error instanceof CommitFailedError) ledger.hide(flag.isSet);
    throw error;
  }
  return refusal ?? new RunningImport(parts, provenance);
}

class RunningImport implements LedgerImport {
  private sessions = 0;
  private events = 0;
  private messages = 0;

  constructor(
    private readonly parts: ImportParts,
    private readonly provenance: ImportProvenance,
  ) {}

  async add(session: LedgerSession): Promise<'added' | 'duplicate' | 'chain_mismatch'> {
    const { store, messages, markers, limits } = this.parts;
    const chained = chainedTail(session, this.provenance, limits.eventsPerSession);
    if (chained === null) return 'chain_mismatch';
    let head = null as SessionHead | null;
    const { tail, chain } = chained;
    await this.parts.commits.enqueue(() => {
      if (store.isOccupied(session.sessionId)) return;
      head = store.insert({ ...headOf(session), firstRetainedSequence: session.eventsObserved - tail.length, chain });
      for (const message of session.messages) messages.append(head, message);
      messages.insertBoard(head, session.board);
      for (const jobId of session.materializedValidationJobIds) markers.add(head, jobId as JobId);
    });
    if (head === null) return 'duplicate';
    await this.writeEvents(head, tail);
    this.sessions += 1;
    this.events += tail.length;
    this.messages += session.messages.length;
    return 'added';
  }

  async finish(tombstones: { readonly kept: readonly Tombstone[]; readonly greatestOrdinal: number }): Promise<ImportCounts> {
    const { store, flag, commits, ledger, order, retention } = this.parts;
    const rows = this.parts.tombstones;
    await commits.enqueue(
      () => {
        for (const tombstone of tombstones.kept) rows.insert(tombstone);
        rows.rememberGreatest(Math.max(rows.greatest(), tombstones.greatestOrdinal));
        flag.clear();
      },
      () => {
        order.seed(store.rowOrder(), store.order());
        ledger.hide(false);
      },
    );
    const before = order.retainedCount;
    await retention.applyLimits();
    this.parts.published();
    return {
      sessions: this.sessions,
      events: this.events,
      messages: this.messages,
      tombstones: rows.count(),
      pruned: before - order.retainedCount,
    };
  }

  abandon(): Promise<void> {
    return this.parts.removal.run();
  }

  private async writeEvents(head: SessionHead, tail: readonly ChainedEvent[]): Promise<void> {
    const { store, commits } = this.parts;
    for (let from = 0; from < tail.length; from += EVENTS_PER_COMMIT) {
      await commits.enqueue(() => {
        for (const { sequence, body, digest } of tail.slice(from, from + EVENTS_PER_COMMIT)) {
          store.appendEvent(head, sequence, body, digest);
        }
      });
    }
  }
}

interface ChainedEvent {
  readonly sequence: number;
  readonly body: EventBody;
  readonly digest: Digest;
}

/** A Session's events chained, bounded to its newest; null when they are not what its chain says. */
function chainedTail(
  session: LedgerSession,
  { documentDigest }: ImportProvenance,
  eventsPerSession: number,
): { readonly tail: readonly ChainedEvent[]; readonly chain: EventChain } | null {
  const first = session.eventsObserved - session.events.length;
  const given = session.chain;
  const incarnation = incarnationFingerprint(session);
  const beginning =
    given === null
      ? newChain({ origin: 'imported', documentDigest, start: first, incarnation })
      : { ...given, anchor: Buffer.from(given.anchor, 'hex'), head: Buffer.from(given.anchor, 'hex') };
  let newest: Digest = beginning.head;
  const events = session.events.map((event, index): ChainedEvent => {
    const body = encodeEvent(event);
    newest = eventDigest(newest, session.sessionId, first + index, body);
    return { sequence: first + index, body, digest: newest };
  });
  if (given !== null && (newest.toString('hex') !== given.head || !beginsRightly(given, first, incarnation))) return null;
  const evicted = Math.max(0, events.length - eventsPerSession);
  const anchor = events[evicted - 1]?.digest ?? beginning.anchor;
  return { tail: events.slice(evicted), chain: { ...beginning, anchor, head: newest } };
}

/** Where nothing of the chain was evicted, its anchor is its genesis. */
function beginsRightly(
  chain: NonNullable<LedgerSession['chain']>,
  first: number,
  incarnation: ReturnType<typeof incarnationFingerprint>,
): boolean {
  if (chain.start > first) return false;
  return chain.start < first || newChain({ ...chain, incarnation }).anchor.toString('hex') === chain.anchor;
}

function headOf(session: LedgerSession): Omit<SessionHead, 'number' | 'firstRetainedSequence' | 'chain'> {
  const { events: _events, messages: _messages, board: _board, materializedValidationJobIds: _jobs, chain: _chain, ...head } =
    session;
  return head;
}
