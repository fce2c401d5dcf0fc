import type { JsonObject } from '../../../protocol/tool-result.js';
import {
  lastContentChange,
  latestStatus,
  plainChecks,
  plainChecksView,
  validationSummary,
  type FinishedCall,
  type ValidationDelta,
} from '../../validation/index.js';
import type { TaskHistory } from '../evidence/task-history.js';
import type { OpenFailures } from './open-failures.js';

/** How an attempt stands on validation; the failures that are open in it, whatever checked them. */
export function validationBlock({ snapshot, attempt }: TaskHistory, failing: OpenFailures, { comparison }: ValidationDelta): JsonObject {
  const summary = validationSummary(snapshot, attempt);
  const latest = summary.events.at(-1);
  return {
    latest_status: latestStatus(summary.events),
    ...(summary.reason === null ? {} : { reason_code: summary.reason }),
    latest_kind: latest?.evidence.kind ?? null,
    latest_at: latest?.event.finished_at ?? null,
    unresolved_failures: failing.total,
    evidence_gaps: summary.events.filter(({ evidence }) => evidence.status === 'evidence_gap').length,
    stale_validations: summary.events.filter((event) => isStale(event, attempt)).length,
    open_failures: failing.items.map((failure) => ({ ...failure })),
    delta_available: comparison.status === 'available',
    ...(comparison.reason_code === undefined ? {} : { delta_reason_code: comparison.reason_code }),
    checks_outside_validators: plainChecksView(plainChecks(attempt)),
  };
}

/** Nobody asked, which is not the same as that nothing ran (spec 06 §7.2). */
export const VALIDATION_NOT_REQUESTED: JsonObject = {
  latest_status: 'unavailable',
  reason_code: 'validation_not_requested',
  latest_kind: null,
  latest_at: null,
  unresolved_failures: null,
  evidence_gaps: null,
  stale_validations: null,
  open_failures: [],
  delta_available: false,
  delta_reason_code: 'validation_not_requested',
};

/** Whether content changed after it began, or may have. */
function isStale({ startSequence }: FinishedCall, calls: readonly FinishedCall[]): boolean {
  const lastChange = lastContentChange(calls);
  return lastChange !== null && (startSequence === null || startSequence <= lastChange);
}
