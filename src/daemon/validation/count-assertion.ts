import type { CountAssertion } from '../kernel/validation-evidence.js';
import type { ParsedOutput } from './parsed-output.js';

/** `require_tests` means one test, `min_tests` as many as it says; of both, the larger one. */
export function minimumTests(requireTests: boolean, minTests: number | undefined): number | null {
  const minimum = Math.max(requireTests ? 1 : 0, minTests ?? 0);
  return minimum === 0 ? null : minimum;
}

/**
 * Holds a declared minimum against what the output proves (spec 06 §3). A count that is
 * not wholly proven proves nothing, however many tests it shows.
 *
 * @returns null when no minimum was declared
 */
export function countAssertion(minimum: number | null, { counts, reason }: ParsedOutput): CountAssertion | null {
  if (minimum === null) return null;
  if (counts === null || reason !== 'complete_summary') {
    return {
      minimum_tests: minimum,
      actual_tests_run: null,
      status: 'unproven',
      reason_code: 'test_count_unproven',
      evidence_reason_code: reason,
    };
  }
  const ran = counts.passed + counts.failed;
  const met = ran >= minimum;
  return {
    minimum_tests: minimum,
    actual_tests_run: ran,
    status: met ? 'passed' : 'failed',
    reason_code: met ? 'minimum_satisfied' : 'minimum_not_met',
    evidence_reason_code: reason,
  };
}
