import type { ProjectId, SessionId } from '../../protocol/ids.js';
import { listJobsMethod } from '../../protocol/runner/jobs.js';
import type { RunnerPort } from '../runner-link/port.js';
import { unavailableReason } from './unavailable-reason.js';
import { aggregateJobs, type JobAggregate } from './evidence/job-aggregate.js';

/** All that a Runner keeps, and what is remembered of earlier ones. */
const ALL_JOBS = 2_000;

/** The Jobs of a project, and those of one Session among them. */
export interface WorkJobs {
  readonly ofProject: JobAggregate;
  readonly ofSession: JobAggregate;
}

/** Asks the Runner for the Jobs; when it cannot say, they are unavailable and not absent. */
export async function workJobs(
  runner: RunnerPort,
  project: ProjectId,
  sessionId: SessionId | null,
  signal: AbortSignal,
): Promise<WorkJobs> {
  const listed = await runner.call(
    listJobsMethod,
    { status: null, project, session_id: null, limit: ALL_JOBS },
    { signal },
  );
  if ('failure' in listed) {
    const unavailable = { status: 'unavailable', reasonCode: unavailableReason(listed.failure) } as const;
    return { ofProject: unavailable, ofSession: unavailable };
  }
  const { jobs } = listed.answer;
  return {
    ofProject: aggregateJobs(jobs),
    ofSession: aggregateJobs(jobs.filter(({ session_id }) => session_id !== null && session_id === sessionId)),
  };
}
