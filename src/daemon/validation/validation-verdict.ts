import type { CountAssertion, EvidenceKind, ValidationStatus } from '../kernel/validation-evidence.js';
import { expectationVerdict, type ExpectationDeclaration, type ExpectationVerdict, type ObservedEnd } from '../execution/index.js';
import { countAssertion } from './count-assertion.js';
import type { ParsedOutput } from './parsed-output.js';

/** What one ended run is as evidence (spec 06 §3); it rewrites nothing of the run's own facts. */
export interface ValidationVerdict {
  readonly status: ValidationStatus;
  readonly executionSuccess: boolean;
  readonly expectationSatisfied: boolean;
  readonly expectation: ExpectationVerdict;
  readonly countAssertion: CountAssertion | null;
  readonly evidenceKind: EvidenceKind | null;
  /** It ended with 0 although its own output tells of failed tests or wrong formatting: that is no success. */
  readonly contradicted: boolean;
}

/**
 * Judges an ended run by its end, what was declared of it, and what its output proves.
 *
 * @param minimum the declared number of tests, or null
 */
export function validationVerdict(
  end: ObservedEnd,
  declared: ExpectationDeclaration,
  minimum: number | null,
  parsed: ParsedOutput,
): ValidationVerdict {
  const contradicted = end.success && tellsOfFailure(parsed);
  const judged: ObservedEnd = contradicted ? { ...end, success: false, failureKind: 'validation_failed' } : end;
  const expectation = expectationVerdict(declared, judged);
  const counted = countAssertion(minimum, parsed);
  return {
    status: statusOf(judged.success, expectation, counted),
    executionSuccess: judged.success,
    expectationSatisfied: expectation === 'none' || expectation.startsWith('matched_'),
    expectation,
    countAssertion: counted,
    evidenceKind: evidenceKindOf(judged, parsed),
    contradicted,
  };
}

function tellsOfFailure({ counts, failedTests, evidenceKind }: ParsedOutput): boolean {
  return (counts?.failed ?? 0) > 0 || failedTests.total > 0 || evidenceKind === 'format_diff';
}

function statusOf(success: boolean, expectation: ExpectationVerdict, counted: CountAssertion | null): ValidationStatus {
  switch (expectation) {
    case 'expectation_mismatch':
      return 'expectation_mismatch';
    case 'matched_expected_failure':
    case 'matched_expected_result':
      return 'expected_result';
    case 'unexpected_failure':
      return 'failed';
    default:
      if (!success) return 'failed';
      return counted === null || counted.status === 'passed' ? 'passed' : 'evidence_gap';
  }
}

function evidenceKindOf({ success, executionState, failureKind }: ObservedEnd, parsed: ParsedOutput): EvidenceKind | null {
  if (success) return null;
  if (executionState === 'timed_out') return 'timeout';
  if (parsed.evidenceKind !== null) return parsed.evidenceKind;
  return executionState === 'completed' || failureKind === 'command_exit_nonzero' ? 'process_exit' : 'unknown';
}
