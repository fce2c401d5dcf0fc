import type { JsonObject } from '../../../protocol/tool-result.js';
import { evidenceIntegrity, historyStatus } from '../closeout/evidence-quality.js';
import { taskValidation, taskValidationView } from '../closeout/task-validation.js';
import { continuationFeedback, FULL_EXPLORATION } from '../feedback/continuation-feedback.js';
import { jobsBlock } from '../feedback/jobs-block.js';
import { VALIDATION_NOT_REQUESTED } from '../feedback/validation-block.js';
import type { GatheredHandoff } from './gather-handoff.js';

/**
 * What a handoff rests on, in detail: the feedback, the newest events, and the evidence that
 * a closeout would judge. `limit` bounds the events that are shown, and nothing that is counted.
 */
export function diagnosticView({ facts, checkpoints }: GatheredHandoff, limit: number): JsonObject {
  const { snapshot, history, jobs, board, validation } = facts;
  const asked = validation.status !== 'not_requested';
  const ledger = {
    events_observed: snapshot.eventsObserved,
    first_retained_sequence: snapshot.firstRetainedSequence,
    events: snapshot.events.slice(-limit).map((event) => event as JsonObject),
    events_truncated: snapshot.events.length > limit,
  };
  if (history === null) {
    const unknown = { status: 'unknown', reason_code: 'continuation_unavailable' };
    return { continuation_feedback: unknown, ledger, closeout: { ...unknown, jobs: jobsBlock(jobs), checkpoints } };
  }
  const standing = taskValidation(history);
  return {
    continuation_feedback: continuationFeedback(
      { history, jobs, board },
      { explorationLimit: FULL_EXPLORATION, atStartup: false, validation: asked },
    ),
    ledger,
    closeout: {
      status: 'available',
      evidence_history: { status: historyStatus(history.calls) },
      evidence_integrity: { ...evidenceIntegrity(history.calls, standing.summary.zeroTestsRun) },
      validation: asked ? taskValidationView(standing, history.calls) : VALIDATION_NOT_REQUESTED,
      jobs: jobsBlock(jobs),
      checkpoints,
    },
  };
}
