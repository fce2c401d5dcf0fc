import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTestReport } from '../../../src/daemon/validation/adapters/test-report.js';
import type { ParsedOutput } from '../../../src/daemon/validation/parsed-output.js';

const CONTEXT = { root: '/home/me/project', cwd: '.', hints: {} };

function parse(lines: readonly unknown[], truncated = false): ParsedOutput {
  const parser = parseTestReport(CONTEXT);
  for (const line of lines) parser.line('stdout', typeof line === 'string' ? line : JSON.stringify(line));
  return parser.finish({ exitCode: 0, timedOut: false, truncated });
}

const BEGIN = { wc_report: 1, runner: 'vitest' };
const PASSED = { case: 'passed' };
const FAILED = { case: 'failed', name: 'adds > up', message: 'expected 1\nto be 2', file: '/home/me/project/test/add.test.ts', line: 7 };
const end = (passed: number, failed: number, skipped: number): object => ({ end: { passed, failed, skipped } });

describe('the report of a test run', () => {
  it('proves its counts and names what failed, relative to the project', () => {
    const parsed = parse([BEGIN, PASSED, FAILED, { case: 'skipped' }, end(1, 1, 1)]);
    expect(parsed).toEqual({
      counts: { passed: 1, failed: 1, ignored: 1, total: 3 },
      reason: 'complete_summary',
      evidenceKind: 'test_failure',
      diagnostics: { items: [], total: 0 },
      failedTests: { items: [{ name: 'adds > up', message: 'expected 1 to be 2', file: 'test/add.test.ts', line: 7 }], total: 1 },
    });
  });

  it('tells files that do not load from tests that fail', () => {
    const problem = { problem: "SyntaxError: Unexpected token ';'", phase: 'load', file: '/home/me/project/a.test.js', line: 3 };
    expect(parse([BEGIN, problem, end(0, 0, 0)])).toMatchObject({
      evidenceKind: 'compile_error',
      diagnostics: { items: [{ severity: 'error', message: "SyntaxError: Unexpected token ';'", file: 'a.test.js', line: 3 }], total: 1 },
    });
    expect(parse([BEGIN, { ...problem, phase: 'run' }, end(0, 0, 0)]).evidenceKind).toBe('test_failure');
  });

  it.each([
    ['nothing at all', [], 'no_complete_summary'],
    ['text that no reporter wrote', ['1 passed, 0 failed'], 'no_complete_summary'],
    ['an end that never came', [BEGIN, PASSED], 'incomplete_stream'],
    ['sums of more tests than it told of', [BEGIN, PASSED, end(100, 0, 0)], 'incomplete_stream'],
    ['a test after the end', [BEGIN, PASSED, end(1, 0, 0), PASSED], 'incomplete_stream'],
    ['two ends', [BEGIN, end(0, 0, 0), end(0, 0, 0)], 'incomplete_stream'],
    ['two begins', [BEGIN, PASSED, BEGIN, end(1, 0, 0)], 'incomplete_stream'],
    ['a line that is none of ours in between', [BEGIN, 'warning: deprecated', PASSED, end(1, 0, 0)], 'incomplete_stream'],
    ['a line with a member too many', [BEGIN, { ...PASSED, name: 'x' }, end(1, 0, 0)], 'incomplete_stream'],
    ['a line that broke off', [BEGIN, PASSED, '{"end":{"passed":1'], 'incomplete_stream'],
  ])('proves no count with %s', (_what, lines, reason) => {
    expect(parse(lines)).toMatchObject({ counts: null, reason });
  });

  it('proves no count when a part of it was lost', () => {
    expect(parse([BEGIN, PASSED, end(1, 0, 0)], true)).toMatchObject({ counts: null, reason: 'output_truncated' });
  });

  it('keeps what failed of a run that broke off', () => {
    expect(parse([BEGIN, FAILED])).toMatchObject({ counts: null, evidenceKind: 'test_failure', failedTests: { total: 1 } });
  });

  it('says that the runner is not installed', () => {
    expect(parse([BEGIN, { unavailable: 'pytest can not be imported' }])).toMatchObject({ counts: null, unavailable: 'pytest can not be imported' });
  });

  it('holds 20 failed tests of any number, and counts the rest', () => {
    const { failedTests, counts } = parse([BEGIN, ...Array.from({ length: 45 }, () => FAILED), end(0, 45, 0)]);
    expect([failedTests.items.length, failedTests.total, counts?.failed]).toEqual([20, 45, 45]);
  });

  it('is complete only as a whole: no part of a report proves a count', () => {
    const test = fc.constantFrom<object>(PASSED, FAILED, { case: 'skipped' });
    fc.assert(
      fc.property(fc.array(test, { maxLength: 20 }), fc.nat(), (tests, cut) => {
        const count = (status: string): number => tests.filter((one) => 'case' in one && one.case === status).length;
        const lines = [BEGIN, ...tests, end(count('passed'), count('failed'), count('skipped'))];
        expect(parse(lines).counts?.total).toBe(tests.length);
        expect(parse(lines.filter((_line, index) => index !== cut % lines.length)).counts).toBeNull();
      }),
    );
  });

  it('takes any text without failing', () => {
    fc.assert(fc.property(fc.array(fc.oneof(fc.string(), fc.json())), (lines) => void parse(lines)));
  });
});
