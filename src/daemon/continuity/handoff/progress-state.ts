import type { SessionSnapshot } from '../../sessions/index.js';
import type { Attention } from './attention.js';
import type { Basis } from './basis.js';
import type { BriefValidation } from './brief-validation.js';
import type { BriefWorkspace } from './brief-workspace.js';
import type { Raced } from './handoff-facts.js';

export const PROGRESS_STATES = ['closed', 'insufficient_evidence', 'blocked', 'needs_validation', 'ready_to_continue'] as const;

/** Where a task stands, in one word. It completes nothing. */
export type ProgressState = (typeof PROGRESS_STATES)[number];

/** What the word is chosen by. */
export interface StateFacts {
  readonly lifecycle: SessionSnapshot['session']['lifecycle'];
  readonly raced: Raced;
  readonly workspace: BriefWorkspace;
  readonly attention: Attention;
  readonly validation: BriefValidation;
  readonly basis: Basis;
}

/** The first that holds (spec 06 §8). Dirt alone, questions, todos and Jobs that are stopping block nothing. */
export function progressState({ lifecycle, raced, workspace, attention, validation, basis }: StateFacts): ProgressState {
  if (lifecycle === 'closed') return 'closed';
  if (raced.session || raced.reports) return 'insufficient_evidence';
  if (isBlocked(attention, validation)) return 'blocked';
  const outdated = validation.reason_code === 'validation_stale' || validation.reason_code === 'validation_inconclusive';
  if (outdated || (workspace.dirty === true && validation.status !== 'passed')) return 'needs_validation';
  return basis.complete ? 'ready_to_continue' : 'insufficient_evidence';
}

function isBlocked(attention: Attention, validation: BriefValidation): boolean {
  return (
    attention.workspace_conflict === true ||
    (attention.blocking_jobs ?? 0) > 0 ||
    (attention.recovering_jobs ?? 0) > 0 ||
    validation.status === 'failed' ||
    (attention.open_risks ?? 0) > 0
  );
}
