import { z } from 'zod';
import type { BriefWorkspace } from './brief-workspace.js';
import type { HandoffFacts } from './handoff-facts.js';

/** Everything that can make a brief less than whole; the set is closed, and no error's text is in it. */
export const BASIS_REASONS = [
  'attempt_boundary_evicted',
  'continuation_unavailable',
  'discussion_unavailable',
  'external_observations_changed_during_snapshot',
  'guidance_unavailable',
  'job_summary_unavailable',
  'session_changed_during_snapshot',
  'validation_not_requested',
  'validation_unavailable',
  'workspace_not_requested',
  'workspace_unavailable',
] as const;
export type BasisReason = (typeof BASIS_REASONS)[number];

/** Whether all that a brief should rest on was there, and at one moment. */
export type Basis = {
  readonly complete: boolean;
  /** Sorted. */
  readonly reason_codes: readonly BasisReason[];
};

export const basisSchema = z.strictObject({ complete: z.boolean(), reason_codes: z.array(z.enum(BASIS_REASONS)) });

/** What a brief lacks. A report store that is lost takes nothing from the rest. */
export function basis(facts: HandoffFacts, workspace: BriefWorkspace): Basis {
  const { history, board, jobs, validation, raced } = facts;
  const holds: Readonly<Record<BasisReason, boolean>> = {
    attempt_boundary_evicted: history?.boundary.reasonCode === 'attempt_boundary_evicted',
    continuation_unavailable: history === null,
    discussion_unavailable: board === null,
    external_observations_changed_during_snapshot: raced.reports,
    guidance_unavailable: board === null,
    job_summary_unavailable: jobs.status === 'unavailable',
    session_changed_during_snapshot: raced.session,
    validation_not_requested: validation.status === 'not_requested',
    validation_unavailable: validation.status !== 'not_requested' && (validation.status === 'unavailable' || history === null),
    workspace_not_requested: workspace.status === 'not_requested',
    workspace_unavailable: workspace.status === 'unavailable',
  };
  const reasons = BASIS_REASONS.filter((reason) => holds[reason]);
  return { complete: reasons.length === 0, reason_codes: reasons };
}
