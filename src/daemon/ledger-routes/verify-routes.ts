import { statSync } from 'node:fs';
import type { AnchorReport, StatsReport, VerificationReport } from '../../protocol/ledger.js';
import { operatorError, type OperatorRoute, type StreamRoute } from '../operator-route.js';
import type { LedgerVerification, SessionLimits, SessionsDomain } from '../sessions/index.js';
import { CommitFailedError } from '../storage/commit-queue.js';
import { refuseOthers } from './owner-only.js';
import { PacedWriter } from '../paced-writer.js';
import { emptyRequest, readRequest, verifyRequest } from './requests.js';

/** `POST /api/ledger/verify`: takes as long as the ledger is large, and ends with its caller. */
export function verifyRoute(sessions: SessionsDomain): StreamRoute {
  return {
    method: 'POST',
    path: '/api/ledger/verify',
    takes: 'json',
    serve: async ({ body, principal, response }) => {
      const refused = refuseOthers(principal);
      if (refused !== null) return refused;
      const read = readRequest(verifyRequest, body);
      if ('refusal' in read) return read.refusal;
      const { signal } = new PacedWriter(response);
      const { anchor } = read.request;
      try {
        const verification = await sessions.verifyLedger({ signal, ...(anchor === undefined ? {} : { anchor }) });
        return { status: 200, body: { ...verificationReport(verification) } };
      } catch (error) {
        if (signal.aborted) return null;
        throw error;
      }
    },
  };
}

function verificationReport({ anchor, ...verification }: LedgerVerification): VerificationReport {
  return {
    sound: verification.sound,
    sessions_checked: verification.sessionsChecked,
    events_checked: verification.eventsChecked,
    messages_checked: verification.messagesChecked,
    tombstones_checked: verification.tombstonesChecked,
    findings_total: verification.findingsTotal,
    findings: verification.findings.map(({ kind, sessionId, sequence, message }) => ({
      kind,
      session_id: sessionId,
      sequence,
      message,
    })),
    anchor:
      anchor === null
        ? null
        : {
            status: anchor.status,
            made_at: anchor.madeAt,
            proven: anchor.proven,
            evicted: anchor.evicted,
            expired: anchor.expired,
            contradicted: anchor.contradicted,
          },
  };
}

/** `POST /api/ledger/anchor`: one line that proves later what the ledger held now. */
export function anchorRoute(sessions: SessionsDomain): OperatorRoute {
  return {
    method: 'POST',
    path: '/api/ledger/anchor',
    handle: async (body, principal) => {
      const refused = refuseOthers(principal);
      if (refused !== null) return refused;
      const read = readRequest(emptyRequest, body);
      if ('refusal' in read) return read.refusal;
      try {
        const { line, madeAt, sessions: count } = await sessions.anchorLedger();
        return { status: 200, body: { line, made_at: madeAt, sessions: count } satisfies AnchorReport };
      } catch (error) {
        if (!(error instanceof CommitFailedError)) throw error;
        return operatorError(503, 'storage_unavailable', error.message, 'free some space and try again; wc doctor shows more');
      }
    },
  };
}

/** `POST /api/ledger/stats`: sizes, counts and limits, cheap at any size. */
export function statsRoute(sessions: SessionsDomain, limits: SessionLimits, ledgerPath: string): OperatorRoute {
  return {
    method: 'POST',
    path: '/api/ledger/stats',
    handle: async (body, principal) => {
      const refused = refuseOthers(principal);
      if (refused !== null) return refused;
      const read = readRequest(emptyRequest, body);
      if ('refusal' in read) return read.refusal;
      return { status: 200, body: { ...statsReport(sessions, limits, ledgerPath) } };
    },
  };
}

function statsReport(sessions: SessionsDomain, limits: SessionLimits, ledgerPath: string): StatsReport {
  const stats = sessions.ledgerStats();
  return {
    sizes: { database_bytes: stats.databaseBytes, wal_bytes: sizeOf(`${ledgerPath}-wal`) },
    rows: {
      sessions: stats.sessions,
      session_events: stats.events,
      session_messages: stats.messages,
      session_tombstones: stats.tombstones,
      session_refs: stats.sessionRefs,
      ledger_anchors: stats.anchors,
    },
    active_sessions: stats.activeSessions,
    closed_sessions: stats.closedSessions,
    events_observed: stats.eventsObserved,
    oldest_created_at: stats.oldestCreatedAt,
    newest_updated_at: stats.newestUpdatedAt,
    limits: {
      hot_session_capacity_target: limits.hotSessionCapacityTarget,
      historical_session_retention_limit: limits.historicalSessionRetentionLimit,
      max_events_per_session: limits.eventsPerSession,
      max_messages_per_session: limits.messagesPerSession,
    },
  };
}

/** The log is absent when nothing was written since it was put back. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
