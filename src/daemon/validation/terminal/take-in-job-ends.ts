import type { CallContext } from '../../kernel/call-context.js';
import type { ProjectPort, SessionView } from '../../kernel/ports.js';
import type { TerminalJobs } from './reconcile-jobs.js';

/** How long a read waits for the ends of Jobs, in milliseconds; the read itself needs none of them. */
const BOUND_MS = 5_000;

/** What taking ends in for a read needs. */
export interface TakeInDeps {
  readonly terminalJobs: TerminalJobs;
  readonly projects: Pick<ProjectPort, 'resolve'>;
  readonly onFault: (error: unknown) => void;
}

/**
 * Takes the ends of a Session's Jobs into its ledger before somebody reads it (spec 06 §6).
 * Whatever cannot be taken in now is taken in the next time: the read goes on.
 */
export async function takeInJobEnds(
  { terminalJobs, projects, onFault }: TakeInDeps,
  session: SessionView,
  call: Pick<CallContext, 'principal' | 'signal'>,
): Promise<void> {
  if (session.project === null) return;
  const resolved = projects.resolve(session.project, call.principal);
  if ('failure' in resolved) return;
  try {
    await terminalJobs.reconcile(session.sessionId, resolved.project, AbortSignal.any([call.signal, AbortSignal.timeout(BOUND_MS)]));
  } catch (error) {
    onFault(error);
  }
}
