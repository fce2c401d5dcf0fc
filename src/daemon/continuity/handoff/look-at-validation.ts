import type { SessionId } from '../../../protocol/ids.js';
import type { ResolvedProject } from '../../kernel/call-context.js';
import type { ValidationDomain } from '../../validation/index.js';
import type { ValidationLook } from './handoff-facts.js';

/**
 * Takes the ends of a Session's Jobs into its ledger, when validation is asked for, before
 * anything of it is captured (spec 06 §6). What could not be taken in may be what decides,
 * so that validation is then not known.
 *
 * @throws CommitFailedError
 */
export async function lookAtValidation(
  terminalJobs: ValidationDomain['terminalJobs'],
  asked: boolean,
  sessionId: SessionId,
  project: ResolvedProject | null,
  signal: AbortSignal,
): Promise<ValidationLook> {
  if (!asked) return { status: 'not_requested' };
  if (project === null) return { status: 'read' };
  const reconciled = await terminalJobs.reconcile(sessionId, project, signal);
  return reconciled.status === 'reconciled' ? { status: 'read' } : { status: 'unavailable', reasonCode: reconciled.reasonCode };
}
