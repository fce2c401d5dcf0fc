import type { JobView } from '../../../protocol/runner/jobs.js';
import { isCheckIdentity } from '../history/check-identity.js';

const TERMINAL: ReadonlySet<JobView['status']> = new Set(['completed', 'failed', 'timed_out', 'stopped', 'lost']);

/** The Jobs whose ends are evidence (spec 06 §6): they ended, and say what check they were. */
export function terminalCandidates(jobs: readonly JobView[]): readonly JobView[] {
  return jobs.filter(({ status, annotations }) => TERMINAL.has(status) && identityOfJob(annotations) !== null);
}

/** The identity that a Job was started with: its assertion's name, else the opaque one of its target or command. */
export function identityOfJob(annotations: JobView['annotations']): string | null {
  const { assertion_name: assertion, validation_identity: identity } = annotations;
  if (typeof assertion === 'string' && assertion !== '') return `assertion:${assertion}`;
  return typeof identity === 'string' && isCheckIdentity(identity) ? identity : null;
}
