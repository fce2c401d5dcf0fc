import type { JsonObject } from '../../../protocol/tool-result.js';
import type { JobAggregate } from '../evidence/job-aggregate.js';

/** The Jobs as outputs show them; every count and the recovery state are of all Jobs, never of `recent`. */
export function jobsBlock(jobs: JobAggregate): JsonObject {
  if (jobs.status === 'unavailable') return { status: 'unavailable', reason_code: jobs.reasonCode, recovery_state: 'unknown' };
  return {
    status: 'available',
    active_count: jobs.activeCount,
    running_count: jobs.runningCount,
    recovering_count: jobs.recoveringCount,
    terminal_pending_count: jobs.terminalPendingCount,
    unsuccessful_count: jobs.unsuccessfulCount,
    recent: jobs.recent.map((job) => ({ ...job })),
    recent_truncated: jobs.recentTruncated,
    latest_job_status: jobs.latestStatus,
    recovery_state:
      jobs.recoveringCount > 0
        ? 'recovering'
        : jobs.terminalPendingCount > 0
          ? 'terminal_pending'
          : jobs.activeCount > 0
            ? 'active'
            : 'none',
  };
}
