import type { Database } from 'better-sqlite3';
import type { SessionId } from '../../protocol/ids.js';
import { checkEvent } from './event-body.js';
import { shownChain } from './event-chain.js';
import type { LedgerSession } from './ledger-rows.js';
import { MessageStore } from './message-store.js';
import { UnreadableRowError, type SessionHead } from './session-head.js';
import { SessionStore } from './store.js';
import { ValidationMarkerStore } from './validation-marker-store.js';

/** Reads whole Sessions as documents have them, from the ledger or from a copy of it. */
export class LedgerReader {
  private readonly store: SessionStore;
  private readonly messages: MessageStore;
  private readonly markers: ValidationMarkerStore;

  constructor(database: Database) {
    this.store = new SessionStore(database);
    this.messages = new MessageStore(database);
    this.markers = new ValidationMarkerStore(database);
  }

  /**
   * A Session with all that is retained of it, or null when there is none.
   *
   * @throws UnreadableRowError when any of its rows breaks its rules, or its counts do
   */
  session(id: SessionId): LedgerSession | null {
    const head = this.store.head(id);
    if (head === null) return null;
    const events = this.store.events(head, head.firstRetainedSequence).map((row) => checkEvent(id, row));
    const retained = head.eventsObserved - head.firstRetainedSequence;
    if (events.length !== retained) {
      throw new UnreadableRowError(`tail of ${id}`, new Error(`${retained} events are counted, ${events.length} are there`));
    }
    return { ...this.withoutEvents(head), events };
  }

  /**
   * The same with an empty tail, for rules that look at the rest.
   *
   * @throws UnreadableRowError
   */
  withoutEvents(head: SessionHead): LedgerSession {
    const { number: _number, firstRetainedSequence: _first, chain, ...said } = head;
    return {
      ...said,
      events: [],
      messages: this.messages.messages(head),
      board: this.messages.board(head),
      materializedValidationJobIds: this.markers.jobs(head),
      chain: chain === null ? null : shownChain(chain),
    };
  }
}
