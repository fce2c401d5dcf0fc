import type { ExecutionState, FailureKind, ResultExpectation } from '../../protocol/execution-state.js';

/** What a caller declared about a result before it ran the command (spec 03 §8). */
export interface ExpectationDeclaration {
  /** Omitted means `success`, unless exit codes are declared. */
  readonly expectation?: ResultExpectation | undefined;
  readonly acceptedExitCodes?: readonly number[] | undefined;
}

/** The facts of an end that an expectation is held against. */
export interface ObservedEnd {
  readonly success: boolean;
  readonly executionState: ExecutionState;
  readonly exitCode: number | null;
  readonly failureKind: FailureKind | null;
  /** Whether it was the tool, and not the command, that failed. */
  readonly toolFailure: boolean;
}

export type ExpectationVerdict =
  | 'none'
  | 'matched_expected_failure'
  | 'matched_expected_result'
  | 'unexpected_failure'
  | 'unexpected_success'
  | 'expectation_mismatch';

const NEVER_KNOWN: ReadonlySet<FailureKind> = new Set(['outcome_unknown', 'timeout', 'cancelled']);

/**
 * Holds an end against what was declared; null is a Job that has not ended. The verdict
 * reclassifies evidence and nothing else: exit code, state and ToolResult stay as they
 * are. What timed out, was cancelled, was lost or never ran matches nothing.
 */
export function expectationVerdict(declared: ExpectationDeclaration, end: ObservedEnd | null): ExpectationVerdict {
  if (end === null) return 'none';
  const failed = end.success ? 'none' : 'unexpected_failure';
  const known = isKnown(end);
  if (declared.acceptedExitCodes !== undefined) {
    if (end.exitCode === null || !known) return failed;
    if (!declared.acceptedExitCodes.includes(end.exitCode)) return 'expectation_mismatch';
    return end.success ? 'none' : 'matched_expected_result';
  }
  switch (declared.expectation) {
    case 'observe':
      return !end.success && known ? 'matched_expected_result' : failed;
    case 'failure':
      if (end.success) return 'unexpected_success';
      return known ? 'matched_expected_failure' : failed;
    default:
      return failed;
  }
}

function isKnown({ executionState, failureKind, toolFailure }: ObservedEnd): boolean {
  return executionState === 'completed' && !toolFailure && (failureKind === null || !NEVER_KNOWN.has(failureKind));
}
