import { describe, expect, test } from 'vitest';
import { expectationVerdict, type ObservedEnd } from '../../../src/daemon/execution/index.js';

const exit = (exitCode: number): ObservedEnd => ({
  success: exitCode === 0,
  executionState: 'completed',
  exitCode,
  failureKind: exitCode === 0 ? null : 'command_exit_nonzero',
  toolFailure: false,
});
const timeout: ObservedEnd = { success: false, executionState: 'timed_out', exitCode: null, failureKind: 'timeout', toolFailure: false };
const cancelled: ObservedEnd = { success: false, executionState: 'cancelled', exitCode: null, failureKind: 'cancelled', toolFailure: false };
const lost: ObservedEnd = { success: false, executionState: 'outcome_unknown', exitCode: null, failureKind: 'outcome_unknown', toolFailure: true };
const brokenTool: ObservedEnd = { success: false, executionState: 'completed', exitCode: 1, failureKind: 'runtime_error', toolFailure: true };

describe('[03-A15] accepted exit codes', () => {
  const codes = { acceptedExitCodes: [0, 1] };

  test.each([
    ['exit 0 of [0, 1]', exit(0), 'none'],
    ['exit 1 of [0, 1]', exit(1), 'matched_expected_result'],
    ['exit 2 of [0, 1]', exit(2), 'expectation_mismatch'],
    ['a time-out', timeout, 'unexpected_failure'],
    ['a cancel', cancelled, 'unexpected_failure'],
    ['a lost end', lost, 'unexpected_failure'],
    ['a tool that failed', brokenTool, 'unexpected_failure'],
  ])('%s', (_name, end, verdict) => {
    expect(expectationVerdict(codes, end)).toBe(verdict);
    expect(expectationVerdict({ ...codes, expectation: 'observe' }, end)).toBe(verdict);
  });

  test('exit 0 that is not listed is a mismatch too', () => {
    expect(expectationVerdict({ acceptedExitCodes: [1] }, exit(0))).toBe('expectation_mismatch');
  });
});

describe('[03-A16] declared expectations', () => {
  test.each([
    ['failure', exit(0), 'unexpected_success'],
    ['failure', exit(7), 'matched_expected_failure'],
    ['failure', timeout, 'unexpected_failure'],
    ['failure', cancelled, 'unexpected_failure'],
    ['failure', lost, 'unexpected_failure'],
    ['failure', brokenTool, 'unexpected_failure'],
    ['observe', exit(0), 'none'],
    ['observe', exit(7), 'matched_expected_result'],
    ['observe', timeout, 'unexpected_failure'],
    ['observe', brokenTool, 'unexpected_failure'],
    ['success', exit(0), 'none'],
    ['success', exit(7), 'unexpected_failure'],
    [undefined, exit(0), 'none'],
    [undefined, exit(7), 'unexpected_failure'],
    [undefined, timeout, 'unexpected_failure'],
  ] as const)('%s, %o', (expectation, end, verdict) => {
    expect(expectationVerdict({ expectation }, end)).toBe(verdict);
  });

  test('a Job that has not ended is no verdict, whatever was declared', () => {
    expect(expectationVerdict({ expectation: 'failure' }, null)).toBe('none');
    expect(expectationVerdict({ acceptedExitCodes: [3] }, null)).toBe('none');
  });
});
