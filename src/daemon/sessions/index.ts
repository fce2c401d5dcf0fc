import type { Database } from 'better-sqlite3';
import type { SessionId } from '../../protocol/ids.js';
import type { CallContext } from '../kernel/call-context.js';
import type { ProjectPort, SessionView } from '../kernel/ports.js';
import type { CommitQueue } from '../storage/commit-queue.js';
import { AccessOrder } from './access-order.js';
import { anchorLedger } from './anchor-ledger.js';
import { AnchorStore } from './anchor-store.js';
import { BoardStatements } from './board-statements.js';
import { ChainAdoption } from './chain-adoption.js';
import type { SessionCounts, SessionsDomain } from './door.js';
import { EvidenceRecorder } from './evidence-recorder.js';
import { ImportFlag, ImportRemoval } from './half-import.js';
import { HotSessions } from './hot-sessions.js';
import { Ledger } from './ledger.js';
import { beginImport } from './ledger-import.js';
import { LedgerReader } from './ledger-reader.js';
import { LedgerScan } from './ledger-scan.js';
import { removeLeftSnapshots, takeSnapshot } from './ledger-snapshot.js';
import type { SessionLimits } from './limits.js';
import { MessageStore } from './message-store.js';
import { recordTerminalValidations } from './record-terminal-validations.js';
import { RefStore } from './ref-store.js';
import { restoreLosses } from './restore-losses.js';
import { Retention } from './retention.js';
import { Selectors } from './selectors.js';
import { sessionBoards } from './session-boards.js';
import { UnreadableRowError, viewOf } from './session-head.js';
import { sessionsStatus } from './status.js';
import { SessionStore } from './store.js';
import { TombstoneStore } from './tombstone-store.js';
import { closeSession } from './tools/close-session.js';
import { listSessions } from './tools/list-sessions.js';
import { readSessionSummary } from './tools/read-session-summary.js';
import { startSession } from './tools/start-session.js';
import { updateSessionContext } from './tools/update-session-context.js';
import { ValidationMarkerStore } from './validation-marker-store.js';
import { verifyLedger } from './verify-ledger.js';
import { createWork, resumeWork } from './work.js';

export { canonicalFinishedEvents } from './canonical-events.js';
export type {
  BoardSnapshot,
  NewWork,
  RequestedCapability,
  ResumedWork,
  SessionCounts,
  SessionFence,
  SessionsDomain,
  SessionSnapshot,
  WorkBegun,
} from './door.js';
export type { EventKind, SessionEvent } from './event-row.js';
export { DEFAULT_SESSION_LIMITS, type SessionLimits } from './limits.js';
export {
  ChainFileWriter,
  exportDocument,
  importDocument,
  readChainFile,
  RejectedDocument,
  type RestoreLimits,
} from './ledger-document/index.js';
export { incarnationFingerprint } from './incarnation.js';
export type { LedgerPart } from './ledger-rows.js';
export type { LedgerVerification } from './ledger-verification.js';
export type { SessionMessage } from './message-row.js';
export { sessionsSchema } from './schema.js';
export type { BoardState, KindCount, MessageFilter, RetainedMessage, SessionBoard } from './session-board.js';
export type { BoardChange, SessionBoards } from './session-boards.js';
export { storageRefusal } from './tools/storage-refusal.js';
export { MESSAGE_KINDS } from './message-row.js';
export { storedText } from './ledger-document/index.js';
export type { TerminalValidation, TerminalValidationOutcome, TerminalValidations } from './terminal-validations.js';

export interface SessionsDeps {
  /** `ledger.db`, opened with `sessionsSchema` among its schemas. */
  readonly database: Database;
  readonly commits: CommitQueue;
  /** For `start_session`, which resolves its project itself. */
  readonly projects: Pick<ProjectPort, 'resolve'>;
  /** Unix seconds. */
  readonly now: () => number;
  /** Milliseconds of the monotonic clock, for durations. */
  readonly monotonicNow: () => number;
  readonly randomBytes: (size: number) => Buffer;
  readonly limits: SessionLimits;
  /** Brings a Session's ledger up to date before a person or model reads its events. */
  readonly beforeRead?: (session: SessionView, call: CallContext) => Promise<void>;
  /** Ends a Session's persistent shells after its close is durable; how many there were. */
  readonly releaseShells?: (sessionId: SessionId) => Promise<number>;
}

/**
 * Workflow Sessions: the durable, bounded, redacted record of coding tasks (spec 01).
 * The start reads every Session's id and lifecycle, brings history under its limits, and
 * leaves the rest on disk until it is touched.
 */
export function createSessionsDomain(deps: SessionsDeps): SessionsDomain {
  const { database, commits, limits, randomBytes } = deps;
  const store = new SessionStore(database);
  const tombstones = new TombstoneStore(database);
  const refs = new RefStore(database);
  const order = new AccessOrder();
  const hot = new HotSessions(limits.hotSessionCapacityTarget);
  const messages = new MessageStore(database);
  const markers = new ValidationMarkerStore(database);
  const anchors = new AnchorStore(database);
  const reader = new LedgerReader(database);
  const scan = new LedgerScan(database);
  const flag = new ImportFlag(database);
  removeLeftSnapshots(database);
  const removal = new ImportRemoval({ store, flag, commits, removed: () => ledger.hide(false) });
  removal.runAtStart();
  // Rows of a half import that could not be removed are nobody's.
  if (!flag.isSet) for (const { session_id: id, lifecycle } of store.order()) order.add(id, lifecycle);
  const historicalLimit = limits.historicalSessionRetentionLimit;
  const retention = new Retention({ store, tombstones, refs, commits, order, historicalLimit });
  retention.restore();
  let restored = order.retainedCount;
  let restoreError: string | null = null;

  const ledger = new Ledger({ ...deps, store, order, hot, retention, lastRestoredNumber: store.lastNumber() });
  ledger.hide(flag.isSet);
  const adoption = new ChainAdoption({ store, adopt: (sessionId) => ledger.adopt(sessionId) });
  void adoption.run();
  const selectors = new Selectors({ ledger, refs, tombstones, commits });
  const recorder = new EvidenceRecorder({ ...deps, ledger, retention });

  const counts = (): SessionCounts => ({
    retained: order.retainedCount,
    active: order.retainedCount - order.closedCount,
    closed: order.closedCount,
    hot: hot.count,
    cold: order.retainedCount - hot.count,
    tombstones: tombstones.count(),
  });

  return {
    name: 'sessions',
    tools: [
      startSession({ ledger, selectors, projects: deps.projects }),
      listSessions({ ledger, selectors }),
      readSessionSummary({ ledger, messages, beforeRead: deps.beforeRead ?? (() => Promise.resolve()) }),
      closeSession({ ...deps, ledger, releaseShells: deps.releaseShells ?? (() => Promise.resolve(0)) }),
      updateSessionContext({ ...deps, ledger }),
    ],
    status: () =>
      sessionsStatus(
        {
          ...{ counts: counts(), restored, restoreError, capacityEvictions: retention.capacityEvictions },
          unreadableRows: ledger.health.unreadableRows,
          persistError: ledger.health.lastError ?? adoption.lastError,
        },
        limits,
      ),
    close: () => {
      adoption.stop();
      removal.stop();
      ledger.settle();
    },
    counts,
    boards: sessionBoards(ledger, new BoardStatements(database, messages)),
    countsOf: (project) => ledger.countsOf(project),

    resolveSelector: (raw, principal) => selectors.resolve(raw, principal),
    lookUp: (sessionId, principal) => selectors.lookUp(sessionId, principal),
    refFor: (sessionId, principal) => {
      const head = ledger.head(sessionId);
      return head === null ? null : (selectors.refsFor([head], principal)[0] ?? null);
    },
    openPair: (sessionId, start) => recorder.openPair(sessionId, start),
    closePair: (pair, end) => recorder.closePair(pair, end),

    createWork: (work) => createWork({ ...deps, ledger }, work),
    resumeWork: (work) => resumeWork({ ...deps, ledger }, work),
    snapshot: (sessionId) => {
      ledger.settle();
      const head = ledger.head(sessionId);
      if (head === null) return null;
      ledger.touch(sessionId);
      return {
        session: viewOf(head),
        events: ledger.events(head, head.firstRetainedSequence),
        eventsObserved: head.eventsObserved,
        firstRetainedSequence: head.firstRetainedSequence,
        repositoryEditObserved: head.repositoryEditObserved,
        gitBaselineTree: head.gitBaselineTree,
      };
    },

    board: (sessionId) => {
      ledger.settle();
      const head = ledger.head(sessionId);
      return head === null ? null : { messages: messages.messages(head).map(({ message }) => message) };
    },
    fence: (sessionId) => {
      ledger.settle();
      const head = ledger.head(sessionId);
      if (head === null) return null;
      return { eventsObserved: head.eventsObserved, messageObservationRevision: readableOrNull(() => messages.board(head).observationRevision) };
    },

    recordTerminalValidations: (sessionId, project, validations) =>
      recordTerminalValidations({ ledger, markers, randomBytes }, sessionId, project, validations),
    exportLedger: () => {
      ledger.settle();
      return takeSnapshot(database, order, randomBytes);
    },
    exportSession: (sessionId) => {
      ledger.settle();
      return readableOrNull(() => (ledger.head(sessionId) === null ? null : reader.session(sessionId)));
    },
    beginImport: (provenance) =>
      beginImport(
        {
          ...{ store, tombstones, messages, markers, flag, removal, commits, ledger, order, retention, limits },
          published: () => {
            restored = order.retainedCount;
            restoreError = null;
          },
        },
        provenance,
      ),
    noteRestoreFailed: (message) => {
      restoreError = message;
    },
    verifyLedger: (options = {}) => {
      ledger.settle();
      return verifyLedger({ store, scan, reader, tombstones, anchors, losses: restoreLosses(limits) }, options);
    },
    anchorLedger: () => anchorLedger({ scan, ledger, anchors, adoption, commits, now: deps.now }),
    ledgerStats: () => {
      ledger.settle();
      return {
        ...scan.totals(),
        messages: messages.count(),
        tombstones: tombstones.count(),
        sessionRefs: scan.sessionRefs(),
        anchors: anchors.count(),
        databaseBytes: scan.databaseBytes(),
      };
    },
  };
}

function readableOrNull<Value>(read: () => Value | null): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableRowError) return null;
    throw error;
  }
}
