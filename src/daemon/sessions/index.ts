import type { Database } from 'better-sqlite3';
import type { SessionId } from '../../protocol/ids.js';
import type { ProjectPort } from '../kernel/ports.js';
import type { CommitQueue } from '../storage/commit-queue.js';
import { AccessOrder } from './access-order.js';
import type { SessionCounts, SessionsDomain } from './door.js';
import { EvidenceRecorder } from './evidence-recorder.js';
import { HotSessions } from './hot-sessions.js';
import { Ledger } from './ledger.js';
import type { SessionLimits } from './limits.js';
import { RefStore } from './ref-store.js';
import { Retention } from './retention.js';
import { Selectors } from './selectors.js';
import { viewOf } from './session-head.js';
import { sessionsStatus } from './status.js';
import { SessionStore } from './store.js';
import { TombstoneStore } from './tombstone-store.js';
import { closeSession } from './tools/close-session.js';
import { listSessions } from './tools/list-sessions.js';
import { readSessionSummary } from './tools/read-session-summary.js';
import { startSession } from './tools/start-session.js';
import { updateSessionContext } from './tools/update-session-context.js';
import { createWork, resumeWork } from './work.js';

export { canonicalFinishedEvents } from './canonical-events.js';
export type {
  NewWork,
  RequestedCapability,
  ResumedWork,
  SessionCounts,
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
export type { LedgerPart } from './ledger-rows.js';
export type { LedgerVerification } from './ledger-verification.js';
export { sessionsSchema } from './schema.js';

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
  /** Ends a Session's persistent shells after its close is durable; how many there were. */
  readonly releaseShells?: (sessionId: SessionId) => Promise<number>;
}

/**
 * Workflow Sessions: the durable, bounded, redacted record of coding tasks (spec 01).
 * The start reads every Session's id and lifecycle, brings history under its limits, and
 * leaves the rest on disk until it is touched.
 */
export function createSessionsDomain(deps: SessionsDeps): SessionsDomain {
  const { database, commits, limits } = deps;
  const store = new SessionStore(database);
  const tombstones = new TombstoneStore(database);
  const refs = new RefStore(database);
  const order = new AccessOrder();
  const hot = new HotSessions(limits.hotSessionCapacityTarget);
  for (const { session_id: id, lifecycle } of store.order()) order.add(id, lifecycle);
  const historicalLimit = limits.historicalSessionRetentionLimit;
  const retention = new Retention({ store, tombstones, refs, commits, order, historicalLimit });
  retention.restore();
  const restored = order.retainedCount;

  const ledger = new Ledger({ ...deps, store, order, hot, retention, lastRestoredNumber: store.lastNumber() });
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
      readSessionSummary({ ledger }),
      closeSession({ ...deps, ledger, releaseShells: deps.releaseShells ?? (() => Promise.resolve(0)) }),
      updateSessionContext({ ...deps, ledger }),
    ],
    status: () =>
      sessionsStatus({ counts: counts(), restored, capacityEvictions: retention.capacityEvictions, ...ledger.health }, limits),
    close: () => {
      ledger.settle();
    },
    counts,

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
  };
}
