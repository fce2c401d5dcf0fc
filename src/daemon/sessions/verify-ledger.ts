import { setImmediate } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import type { SessionId } from '../../protocol/ids.js';
import { AnchorCheck, type Departure } from './anchor-check.js';
import type { AnchorStore } from './anchor-store.js';
import { ChainWalk, chainedRowOf, type ChainedHead, type ChainedRow } from './chain-walk.js';
import type { LedgerReader } from './ledger-reader.js';
import { TABLES_OF_A_SESSION, type LedgerScan, type ScannedEvent, type ScannedSession } from './ledger-scan.js';
import type { AnchorVerdict, LedgerFinding, LedgerFindingKind, LedgerVerification, VerifyOptions } from './ledger-verification.js';
import type { RestoreLosses } from './restore-losses.js';
import { UnreadableRowError, type SessionHead } from './session-head.js';
import type { SessionStore } from './store.js';
import { restoreTombstones, type Tombstone } from './tombstone.js';
import type { TombstoneStore } from './tombstone-store.js';

/** Rows that one turn of the event loop looks at: a few milliseconds. */
const EVENTS_PER_STEP = 200;
const SESSIONS_PER_STEP = 100;
/** Findings that are told one by one; all are counted. */
const FINDINGS_TOLD = 1_000;

export interface VerifyParts {
  readonly store: SessionStore;
  readonly scan: LedgerScan;
  readonly reader: LedgerReader;
  readonly tombstones: TombstoneStore;
  readonly anchors: AnchorStore;
  readonly losses: RestoreLosses;
}

/** Checks the whole ledger (spec 00, decision 41), in short steps beside all other work; it changes nothing. */
export function verifyLedger(parts: VerifyParts, options: VerifyOptions): Promise<LedgerVerification> {
  return new Verification(parts, options).run();
}

class Verification {
  private readonly findings: LedgerFinding[] = [];
  private findingsTotal = 0;
  private sessionsChecked = 0;
  private eventsChecked = 0;
  private messagesChecked = 0;
  private tombstonesChecked = 0;
  private anchor: AnchorCheck | null = null;
  private readonly verdict: AnchorVerdict | null = null;

  constructor(
    private readonly parts: VerifyParts,
    private readonly options: VerifyOptions,
  ) {
    if (options.anchor === undefined) return;
    const begun = AnchorCheck.begin(options.anchor, parts.anchors, (finding) => this.report(finding));
    if (begun instanceof AnchorCheck) this.anchor = begun;
    else this.verdict = begun;
  }

  async run(): Promise<LedgerVerification> {
    await this.undamaged(() => this.sessions());
    await this.undamaged(() => this.orphans());
    await this.undamaged(async () => this.tombstones());
    const anchor = this.anchor?.end((id) => this.departureOf(id)) ?? this.verdict;
    return {
      sound: this.findingsTotal === 0 && (anchor === null || anchor.status === 'contained'),
      sessionsChecked: this.sessionsChecked,
      eventsChecked: this.eventsChecked,
      messagesChecked: this.messagesChecked,
      tombstonesChecked: this.tombstonesChecked,
      findings: this.findings,
      findingsTotal: this.findingsTotal,
      anchor,
    };
  }

  private async sessions(): Promise<void> {
    const ofSessions = this.parts.scan.totals().sessions;
    let after = 0;
    let page: readonly ScannedSession[];
    do {
      page = this.parts.scan.sessions(after, SESSIONS_PER_STEP);
      for (const session of page) {
        after = session.number;
        await this.session(session);
        this.sessionsChecked += 1;
        this.options.onProgress?.({ sessions: this.sessionsChecked, ofSessions });
      }
    } while (page.length === SESSIONS_PER_STEP);
  }

  private async session({ sessionId }: ScannedSession): Promise<void> {
    await this.pause();
    const head = this.readable(sessionId, null, () => this.parts.store.head(sessionId));
    if (head === null) return;
    this.readable(sessionId, null, () => {
      const session = this.parts.reader.withoutEvents(head);
      this.messagesChecked += session.messages.length;
      for (const loss of this.parts.losses.session(session)) this.find('restore_would_drop', sessionId, null, loss);
    });
    if (isChained(head)) await this.chainedTail(head);
    else await this.bareTail(head);
  }

  private async chainedTail(begun: ChainedHead): Promise<void> {
    const { sessionId } = begun;
    const walk = new ChainWalk(begun);
    const decisive = this.anchor?.sequenceOf(sessionId) ?? null;
    this.decideAtAnchor(begun, decisive);
    let head: SessionHead | null = begun;
    let after: unknown = -1;
    for (;;) {
      await this.pause();
      head = this.readable(sessionId, null, () => this.parts.store.head(sessionId));
      // Removed, or made unreadable, while it was walked.
      if (head === null || !isChained(head)) return;
      walk.follow(head);
      const rows = this.rows(head, after);
      if (rows === null) return;
      after = rows.at(-1)?.sequence;
      for (const row of this.placed(sessionId, rows)) {
        this.checkRow(sessionId, row);
        const digest = walk.take(row);
        if (row.sequence === decisive && digest !== null) this.anchor?.decide(sessionId, digest);
      }
      if (rows.length === EVENTS_PER_STEP) continue;
      walk.end(head);
      break;
    }
    if (walk.fault !== null) this.report({ ...walk.fault, sessionId });
    this.anchor?.undecided(sessionId, head.firstRetainedSequence);
  }

  /** The digest before the tail stands for the last evicted event, or for no event at all. */
  private decideAtAnchor({ sessionId, chain, firstRetainedSequence }: ChainedHead, decisive: number | null): void {
    if (decisive !== null && decisive === firstRetainedSequence - 1) this.anchor?.decide(sessionId, chain.anchor);
  }

  /** Rows that have no chain yet: each can be judged, none can be proven. */
  private async bareTail(head: SessionHead): Promise<void> {
    const { sessionId } = head;
    this.find('chain_absent', sessionId, null, 'its events are older than chains and get theirs soon; verify again then');
    let rows: readonly ScannedEvent[] | null;
    let after: unknown = -1;
    do {
      rows = this.rows(head, after);
      after = rows?.at(-1)?.sequence;
      for (const row of this.placed(sessionId, rows ?? [])) this.checkRow(sessionId, row);
      await this.pause();
    } while (rows?.length === EVENTS_PER_STEP);
  }

  private rows(head: SessionHead, after: unknown): readonly ScannedEvent[] | null {
    return this.readable(head.sessionId, null, () => this.parts.scan.events(head, after, EVENTS_PER_STEP));
  }

  private placed(sessionId: SessionId, rows: readonly ScannedEvent[]): readonly ChainedRow[] {
    const placed = rows.map(chainedRowOf).filter((row) => row !== null);
    if (placed.length < rows.length) this.find('row_unreadable', sessionId, null, 'an event has no place in its tail');
    return placed;
  }

  private checkRow(sessionId: SessionId, row: ChainedRow): void {
    this.eventsChecked += 1;
    const losses = this.readable(sessionId, row.sequence, () => this.parts.losses.event(sessionId, row));
    for (const loss of losses ?? []) this.find('restore_would_drop', sessionId, row.sequence, loss);
  }

  private async orphans(): Promise<void> {
    for (const table of TABLES_OF_A_SESSION) {
      let looked = 0;
      for (let owner = this.parts.scan.nextOwner(table, -1); owner !== null; owner = this.parts.scan.nextOwner(table, owner)) {
        if (!this.parts.scan.exists(owner)) {
          this.find('orphan_rows', null, null, `${table} has rows of Session row ${owner}, which does not exist`);
        }
        looked += 1;
        if (looked % SESSIONS_PER_STEP === 0) await this.pause();
      }
    }
  }

  private tombstones(): void {
    const rows = this.parts.tombstones.all();
    this.tombstonesChecked = rows.length;
    const { dropped } = restoreTombstones(rows, (id) => this.parts.store.isLive(id));
    for (const { sessionId } of dropped) {
      this.find('restore_would_drop', sessionId, null, 'a restore would drop this tombstone: its Session lives, or it is there twice');
    }
    for (const row of rows.filter((tombstone) => !isWhole(tombstone))) {
      this.find('row_unreadable', row.sessionId, null, 'the tombstone has a member that is none');
    }
  }

  /** Nothing leaves the ledger without a tombstone, and a tombstone only behind ones of higher ordinals. */
  private departureOf(sessionId: SessionId): Departure {
    const { tombstones, store } = this.parts;
    if (tombstones.find(sessionId) !== null) return 'expired';
    // Closed and trimmed, or imported elsewhere: then ordinals are missing among the retained ones.
    if (!store.isLive(sessionId) && tombstones.greatest() > tombstones.count()) return 'gone';
    return 'removed';
  }

  private readable<Value>(sessionId: SessionId, sequence: number | null, read: () => Value): Value | null {
    try {
      return read();
    } catch (error) {
      if (error instanceof UnreadableRowError) {
        this.find('row_unreadable', sessionId, sequence, error.message);
        return null;
      }
      if (!isDamage(error)) throw error;
      this.find('row_unreadable', sessionId, sequence, `the file itself is damaged here: ${error.message}`);
      return null;
    }
  }

  /** A damaged page ends one part of the verification and none of the others. */
  private async undamaged(part: () => Promise<void>): Promise<void> {
    try {
      await part();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.find('row_unreadable', null, null, `the file itself is damaged, so that not all of it could be read: ${error.message}`);
    }
  }

  private find(kind: LedgerFindingKind, sessionId: SessionId | null, sequence: number | null, message: string): void {
    this.report({ kind, sessionId, sequence, message });
  }

  private report(finding: LedgerFinding): void {
    this.findingsTotal += 1;
    if (this.findings.length < FINDINGS_TOLD) this.findings.push(finding);
  }

  private async pause(): Promise<void> {
    await setImmediate();
    this.options.signal?.throwIfAborted();
  }
}

function isDamage(error: unknown): error is Error {
  return error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_CORRUPT');
}

function isChained(head: SessionHead): head is ChainedHead {
  return head.chain !== null;
}

function isWhole({ ownerFingerprint, incarnation, expiryOrdinal }: Tombstone): boolean {
  const hex64 = /^[0-9a-f]{64}$/;
  return hex64.test(ownerFingerprint) && hex64.test(incarnation) && Number.isSafeInteger(expiryOrdinal) && expiryOrdinal > 0;
}
