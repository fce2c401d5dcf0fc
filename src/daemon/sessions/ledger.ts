import type { AuthorityFingerprint, ProjectId, SessionId } from '../../protocol/ids.js';
import type { Failure } from '../../protocol/tool-result.js';
import type { SessionExecutionContext } from '../kernel/ports.js';
import { CommitFailedError, type CommitQueue } from '../storage/commit-queue.js';
import type { AccessOrder } from './access-order.js';
import { isRepositoryEdit } from './call-events.js';
import { appendEvents } from './append-events.js';
import { adoptChain } from './chain-adoption.js';
import { checkCounted, decodeCounted, decodeEvent, type CountedEvent } from './event-body.js';
import { newChain } from './event-chain.js';
import type { EventKind, SessionEvent } from './event-row.js';
import type { HotSessions } from './hot-sessions.js';
import { incarnationFingerprint } from './incarnation.js';
import type { SessionLimits } from './limits.js';
import type { Capability } from './mode-guards.js';
import type { Retention } from './retention.js';
import { UnreadableRowError, type SessionHead } from './session-head.js';
import { idsExhausted, importInProgress } from './refusals.js';
import { allocateSessionId } from './session-id.js';
import type { SessionFilter, SessionStore } from './store.js';

/** What a Session is created with; its text is storable and its context normalized already. */
export interface NewSession extends Capability {
  readonly ownerFingerprint: AuthorityFingerprint;
  readonly project: ProjectId | null;
  readonly title: string | null;
  readonly executionContext: SessionExecutionContext;
  readonly gitBaselineTree: string | null;
}

/** What a mutation does to a Session: its new members, and the events that say so. */
export interface Mutation {
  readonly change?: Partial<Capability> & Partial<Pick<SessionHead, 'executionContext' | 'lifecycle'>>;
  readonly events: readonly SessionEvent[];
  /** When it happened, in Unix seconds; the clock's now when nothing else is known. */
  readonly at?: number;
  /** Called inside the commit when all of it is written; a commit that fails still undoes it. */
  readonly written?: () => void;
}

/** The outcome of a mutation whose rule may refuse it. */
export type Mutated<Refusal> =
  | { readonly head: SessionHead }
  | { readonly refused: Refusal }
  /** Not retained (any more). */
  | { readonly missing: true };

export interface LedgerParts {
  readonly store: SessionStore;
  readonly commits: CommitQueue;
  readonly order: AccessOrder;
  readonly hot: HotSessions;
  readonly retention: Retention;
  readonly limits: SessionLimits;
  /** The highest row of an earlier daemon, 0 when there was none. */
  readonly lastRestoredNumber: number;
  /** Unix seconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Buffer;
}

/**
 * The Sessions as rules see them: heads to read, and mutations that are decided and
 * written in one step of a commit, so that nothing comes between a check and its effect.
 * Every promise settles after the commit and rejects with CommitFailedError when there
 * was none; memory then holds nothing of it either.
 */
export class Ledger {
  private readonly unreadable = new Set<SessionId>();
  private readonly checked = new Set<SessionId>();
  private commitError: string | null = null;
  private hidden = false;
  private written: { readonly commit: number | null; readonly heads: Map<SessionId, SessionHead> } = {
    commit: null,
    heads: new Map(),
  };

  constructor(private readonly parts: LedgerParts) {}

  /** The head of a retained Session, or null; moves nothing. A row that breaks its rules is no Session. */
  head(id: SessionId): SessionHead | null {
    if (this.hidden) return null;
    try {
      return this.parts.hot.get(id) ?? this.parts.store.head(id);
    } catch (error) {
      if (!(error instanceof UnreadableRowError)) throw error;
      this.unreadable.add(id);
      return null;
    }
  }

  /** An access to exactly this Session: moves its recency, and writes nothing. */
  touch(id: SessionId): void {
    this.parts.order.touch(id);
    this.parts.hot.touch(id);
  }

  /**
   * The retained events from an absolute sequence on.
   *
   * @throws UnreadableRowError
   */
  events(head: SessionHead, from: number): SessionEvent[] {
    this.check(head);
    return this.parts.store.events(head, from).map((row) => decodeEvent(head.sessionId, row));
  }

  /**
   * The retained events of some kinds, as far as they count.
   *
   * @throws UnreadableRowError
   */
  countedEvents(head: SessionHead, kinds: readonly EventKind[]): CountedEvent[] {
    const checked = this.check(head);
    if (checked !== null) return checked.filter(({ kind }) => kinds.includes(kind));
    return this.parts.store.eventsOfKinds(head, kinds).map((row) => decodeCounted(head.sessionId, row));
  }

  /**
   * A page of an owner's Sessions of one project, latest update first, and how many there
   * are; moves nothing. Rows that break their rules are read past.
   */
  page(
    filter: SessionFilter,
    offset: number,
    limit: number,
  ): { readonly total: number; readonly heads: readonly SessionHead[]; readonly read: number } {
    if (this.hidden) return { total: 0, heads: [], read: 0 };
    const ids = this.parts.store.page(filter, offset, limit);
    const heads = ids.map((id) => this.head(id)).filter((head) => head !== null);
    return { total: this.parts.store.count(filter), heads, read: ids.length };
  }

  /** How many Sessions of a project are retained, committed or about to be; null while they are hidden. */
  countsOf(project: ProjectId): { readonly active: number; readonly closed: number } | null {
    this.settle();
    if (this.hidden) return null;
    const counts = { active: 0, closed: 0 };
    for (const { lifecycle, sessions } of this.parts.store.lifecyclesOf(project)) counts[lifecycle] = sessions;
    return counts;
  }

  /** Commits what waits, so that a following read sees all that was accepted before it. */
  settle(): void {
    this.parts.commits.flush();
  }

  /** Creates a Session with its first events, or says why not. */
  async create(
    session: NewSession,
    firstEvents: (head: SessionHead) => readonly SessionEvent[],
  ): Promise<{ readonly head: SessionHead } | { readonly failure: Failure }> {
    const { store, order, hot, now, randomBytes } = this.parts;
    return this.commit<{ readonly head: SessionHead } | { readonly failure: Failure }>(
      () => {
        if (this.hidden) return { failure: importInProgress() };
        const sessionId = allocateSessionId(randomBytes, (id) => store.isOccupied(id));
        if (sessionId === null) return { failure: idsExhausted() };
        const createdAt = now();
        const row = { ...session, sessionId, lifecycle: 'active' as const, createdAt, updatedAt: createdAt };
        const incarnation = incarnationFingerprint(row);
        const chain = newChain({ origin: 'created', documentDigest: null, start: 0, incarnation });
        const tail = { eventsObserved: 0, firstRetainedSequence: 0, repositoryEditObserved: false };
        const head = store.insert({ ...row, ...tail, chain });
        return { head: this.append(head, head, firstEvents(head), createdAt) };
      },
      (created) => {
        if ('failure' in created) return;
        order.add(created.head.sessionId, 'active');
        hot.put(created.head);
      },
    );
  }

  /**
   * Changes a Session as `decide` says, which sees it as it is inside the commit.
   *
   * @param decide a mutation, or a refusal that writes nothing
   */
  async mutate<Refusal>(
    id: SessionId,
    decide: (head: SessionHead) => Mutation | { readonly refused: Refusal },
  ): Promise<Mutated<Refusal>> {
    const { hot, order, retention } = this.parts;
    const { outcome, closed } = await this.commit<{ outcome: Mutated<Refusal>; closed: boolean }>(
      () => {
        const before = this.headInCommit(id);
        if (before === null) return { outcome: { missing: true }, closed: false };
        const decision = decide(before);
        if ('refused' in decision) return { outcome: decision, closed: false };
        hot.drop(id);
        const after = decision.change === undefined ? before : { ...before, ...decision.change };
        const head = this.append(before, after, decision.events, decision.at ?? this.parts.now());
        decision.written?.();
        this.noteWritten(head);
        return { outcome: { head }, closed: before.lifecycle === 'active' && head.lifecycle === 'closed' };
      },
      ({ outcome, closed }) => {
        if (!('head' in outcome)) return;
        hot.put(outcome.head);
        if (closed) order.add(id, 'closed');
        else order.touch(id);
      },
    );
    if (closed) await retention.prune();
    return outcome;
  }

  /** Gives a Session of an older daemon its chain, in a commit of its own. */
  async adopt(id: SessionId): Promise<void> {
    const { store } = this.parts;
    await this.commit(
      () => {
        const head = store.head(id);
        if (head?.chain === null) adoptChain(store, head);
      },
      () => undefined,
    );
  }

  /**
   * Hides the ledger while rows are imported that nobody has published: no Session is found,
   * and none is created. Called inside the commit that begins or ends it.
   */
  hide(hidden: boolean): void {
    this.hidden = hidden;
  }

  /** What a person should know of the store: the last failed commit, and rows that broke their rules. */
  get health(): { readonly lastError: string | null; readonly unreadableRows: number } {
    return { lastError: this.commitError ?? this.parts.retention.lastError, unreadableRows: this.unreadable.size };
  }

  /** Works of one commit on one Session need not read what the one before has written. */
  private headInCommit(id: SessionId): SessionHead | null {
    const { commit, heads } = this.written;
    const written = commit === this.parts.commits.current ? heads.get(id) : undefined;
    return written ?? this.head(id);
  }

  /** A work has written all it had to; of Closed Sessions nothing is noted, since a later work may remove them. */
  private noteWritten(head: SessionHead): void {
    const commit = this.parts.commits.current;
    if (this.written.commit !== commit) this.written = { commit, heads: new Map() };
    if (head.lifecycle === 'active') this.written.heads.set(head.sessionId, head);
    else this.written.heads.delete(head.sessionId);
  }

  /**
   * Rows of an earlier daemon are checked when their Session is first read; later ones were
   * written by this one.
   *
   * @returns the retained events when they were checked now, or null
   * @throws UnreadableRowError
   */
  private check(head: SessionHead): readonly CountedEvent[] | null {
    if (head.number > this.parts.lastRestoredNumber || this.checked.has(head.sessionId)) return null;
    const rows = this.parts.store.events(head, head.firstRetainedSequence);
    const events = rows.map((row) => checkCounted(head.sessionId, row));
    this.checked.add(head.sessionId);
    return events;
  }

  /** Writes `after` with its events appended; where it is `before` itself, less has to be written. */
  private append(before: SessionHead, after: SessionHead, events: readonly SessionEvent[], at: number): SessionHead {
    const { store, limits } = this.parts;
    const chain = after.chain ?? adoptChain(store, after);
    const head: SessionHead = {
      ...after,
      ...appendEvents(store, { ...after, chain }, events, limits.eventsPerSession),
      // The clock may have gone back; a Session's time does not.
      updatedAt: Math.max(after.updatedAt, at),
      repositoryEditObserved: after.repositoryEditObserved || events.some(isRepositoryEdit),
    };
    if (after === before) store.updateAppended(before, head);
    else store.update(head);
    return head;
  }

  /** One work of a commit and its value; `committed` brings memory up to date in the same turn. */
  private async commit<Value>(write: () => Value, committed: (value: Value) => void): Promise<Value> {
    let written: { readonly value: Value } | null = null as { readonly value: Value } | null;
    try {
      await this.parts.commits.enqueue(
        () => {
          written = { value: write() };
        },
        () => {
          if (written !== null) committed(written.value);
        },
      );
    } catch (error) {
      if (error instanceof CommitFailedError) this.commitError = error.message;
      throw error;
    }
    this.commitError = null;
    if (written === null) throw new Error('a commit settled without its work');
    return written.value;
  }
}
