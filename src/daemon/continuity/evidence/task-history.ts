import type { SessionSnapshot } from '../../sessions/index.js';
import { attemptBoundary, finishedCalls, validationSummary, type AttemptBoundary, type FinishedCall, type ValidationSummary } from '../../validation/index.js';

/** One captured tail and what it says, read once for every projection of it. */
export interface TaskHistory {
  readonly snapshot: SessionSnapshot;
  /** The calls of the whole retained tail, each counted once. */
  readonly calls: readonly FinishedCall[];
  readonly boundary: AttemptBoundary;
  /** The calls of the latest attempt. */
  readonly attempt: readonly FinishedCall[];
  /** How the whole tail stands on validation. */
  readonly validation: ValidationSummary;
}

/** Reads a captured tail. The window of the attempt is the tail's own: what a caller displays moves nothing. */
export function taskHistory(snapshot: SessionSnapshot): TaskHistory {
  const calls = finishedCalls(snapshot);
  const boundary = attemptBoundary(snapshot);
  return {
    snapshot,
    calls,
    boundary,
    attempt: calls.filter(({ sequence }) => sequence >= boundary.startSequence),
    validation: validationSummary(snapshot, calls),
  };
}
