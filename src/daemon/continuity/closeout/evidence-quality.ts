import type { FinishedCall } from '../../validation/index.js';

/** What the history of a task looks like, whatever its end. */
export type HistoryStatus = 'clean' | 'mixed_resolved' | 'mixed_unresolved' | 'failed';

/** Failures stay history after they were resolved; provably harmless ones are none. */
export function historyStatus(calls: readonly FinishedCall[]): HistoryStatus {
  const failures = calls.filter(({ verdict }) => verdict === 'failure' || verdict === 'mismatch');
  if (failures.length === 0) return 'clean';
  if (failures.every(({ resolvedBy }) => resolvedBy !== null)) return 'mixed_resolved';
  return calls.some(({ verdict }) => verdict === 'passed') ? 'mixed_unresolved' : 'failed';
}

/** Whether what was declared of results before they ran held. */
export interface EvidenceIntegrity {
  readonly status: 'clean' | 'warning' | 'error';
  readonly reasons: readonly string[];
}

/** An expectation that failed and was not made good is an error; an unexpected success, or a pass without any test, is a warning. */
export function evidenceIntegrity(calls: readonly FinishedCall[], zeroTestsRun: boolean): EvidenceIntegrity {
  const mismatched = calls.some(({ verdict, resolvedBy }) => verdict === 'mismatch' && resolvedBy === null);
  const surprised = calls.some(({ verdict }) => verdict === 'unexpected_success');
  return {
    status: mismatched ? 'error' : surprised || zeroTestsRun ? 'warning' : 'clean',
    reasons: [
      ...(mismatched ? ['expectation_mismatches'] : []),
      ...(surprised ? ['unexpected_successes'] : []),
      ...(zeroTestsRun ? ['cargo_test_zero_tests'] : []),
    ],
  };
}
