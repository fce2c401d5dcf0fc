import type { JsonObject } from '../../protocol/tool-result.js';
import type { SessionCounts } from './door.js';
import type { SessionLimits } from './limits.js';

export interface StatusFacts {
  readonly counts: SessionCounts;
  readonly restored: number;
  readonly capacityEvictions: number;
  /** Why the last commit failed, until one succeeds. */
  readonly persistError: string | null;
  /** Why the last imported document was rejected, until one is restored. */
  readonly restoreError: string | null;
  readonly unreadableRows: number;
}

/** What `get_runtime_status` says of Sessions (spec 01 §6.10). */
export function sessionsStatus(facts: StatusFacts, limits: SessionLimits): JsonObject {
  const { counts } = facts;
  return {
    persistence: 'sqlite',
    restored_sessions: facts.restored,
    retained_sessions: counts.retained,
    active_sessions: counts.active,
    closed_sessions: counts.closed,
    hot_sessions: counts.hot,
    cold_sessions: counts.cold,
    hot_session_capacity_target: limits.hotSessionCapacityTarget,
    // The older name of the hot target; it is no permission to remove Active Sessions.
    max_sessions: limits.hotSessionCapacityTarget,
    historical_session_retention_limit: limits.historicalSessionRetentionLimit,
    max_events_per_session: limits.eventsPerSession,
    max_messages_per_session: limits.messagesPerSession,
    retention_tombstones: counts.tombstones,
    capacity_evictions: facts.capacityEvictions,
    unreadable_rows: facts.unreadableRows,
    last_persist_error: lastError(facts),
  };
}

/** A store that cannot be written matters more than a document that was not restored. */
function lastError({ persistError, restoreError }: StatusFacts): string | null {
  if (persistError !== null) return `persist_failed: ${persistError}`;
  return restoreError === null ? null : `restore_failed: ${restoreError}`;
}
