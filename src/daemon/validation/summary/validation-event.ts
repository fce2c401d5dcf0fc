import type { ValidationEvidence, ValidationStatus } from '../../kernel/validation-evidence.js';
import type { JsonObject } from '../../../protocol/tool-result.js';
import type { FinishedCall } from '../history/finished-calls.js';
import { isLater } from '../history/finished-calls.js';

/** A call or a Job's end that a structured validator left evidence of. */
export interface ValidationEvent extends FinishedCall {
  readonly evidence: ValidationEvidence;
}

/** The validations among some calls by the time they ended, the oldest first. */
export function validationEvents(calls: readonly FinishedCall[]): readonly ValidationEvent[] {
  return calls
    .flatMap((call) => {
      const evidence = call.event.validation_output_summary?.evidence;
      return evidence === undefined ? [] : [{ ...call, evidence }];
    })
    .sort((one, other) => (isLater(one, other) ? 1 : -1));
}

/** Whether it says anything for or against the code; a declared negative result does not. */
export function isDeciding({ evidence }: ValidationEvent): boolean {
  return evidence.status !== 'expected_result';
}

const OPEN: ReadonlySet<ValidationStatus> = new Set(['failed', 'expectation_mismatch']);

/** Whether it is a failure, resolved or not. */
export function isFailure({ evidence }: ValidationEvent): boolean {
  return OPEN.has(evidence.status);
}

/** A validation as outputs show it: names and numbers, no output. */
export function validationEventView({ event, evidence, resolvedBy }: ValidationEvent): JsonObject {
  const target = event.context_result_summary?.['validation_identity'];
  return {
    event_id: event.event_id,
    event_kind: event.kind,
    tool_name: event.tool_name,
    kind: evidence.kind,
    status: evidence.status,
    validation_passed: evidence.status === 'passed',
    validation_target_id: typeof target === 'string' && target.startsWith('target:') ? target.slice('target:'.length) : null,
    failure_expectation_result: event.failure_expectation_result ?? 'none',
    exit_code: event.exit_code,
    failure_kind: event.failure_kind,
    job_id: event.job_id,
    finished_at: event.finished_at,
    evidence_kind: evidence.evidence_kind,
    evidence_reason_code: evidence.evidence_reason_code,
    counts: evidence.counts,
    count_assertion: evidence.count_assertion,
    failures: evidence.failures.map((failure) => ({ ...failure })),
    failures_total: evidence.failures_total,
    resolved_by: resolvedBy,
  };
}
