import type { JobStatus } from '../../../protocol/execution-state.js';
import { jobOutcome } from '../../../protocol/execution-state.js';
import type { JobView } from '../../../protocol/runner/jobs.js';

/** How many Jobs are shown; all of them are counted. */
const RECENT_JOBS = 8;

/** A Job as it is shown. */
export type RecentJob = Pick<JobView, 'job_id' | 'status' | 'purpose'>;

/** The published Jobs of a Session, all of them counted; or why they are not known. */
export type JobAggregate =
  | {
      readonly status: 'available';
      readonly activeCount: number;
      /** Jobs that still work: queued, running, recovering. */
      readonly blockingCount: number;
      readonly runningCount: number;
      readonly recoveringCount: number;
      /** Jobs that were asked to stop and have not ended. */
      readonly terminalPendingCount: number;
      readonly latestStatus: JobStatus | null;
      /** Jobs that ended without success: failed, timed out or lost. */
      readonly unsuccessfulCount: number;
      /** The newest, and whether there are more. */
      readonly recent: readonly RecentJob[];
      readonly recentTruncated: boolean;
    }
  | { readonly status: 'unavailable'; readonly reasonCode: string };

/** Counts Jobs; `jobs` is the whole list, newest first. */
export function aggregateJobs(jobs: readonly RecentJob[]): JobAggregate {
  const count = (...statuses: readonly JobStatus[]): number =>
    jobs.filter(({ status }) => statuses.includes(status)).length;
  return {
    status: 'available',
    activeCount: jobs.filter(({ status }) => jobOutcome(status) === null).length,
    blockingCount: count('queued', 'agent_queued', 'running', 'recovering'),
    runningCount: count('running'),
    recoveringCount: count('recovering'),
    terminalPendingCount: count('stop_requested'),
    latestStatus: jobs[0]?.status ?? null,
    unsuccessfulCount: count('failed', 'timed_out', 'lost'),
    recent: jobs.slice(0, RECENT_JOBS).map(({ job_id, status, purpose }) => ({ job_id, status, purpose })),
    recentTruncated: jobs.length > RECENT_JOBS,
  };
}
