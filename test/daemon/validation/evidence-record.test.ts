import { describe, expect, it } from 'vitest';
import { validationEvidenceSchema, type ValidationEvidence } from '../../../src/daemon/kernel/validation-evidence.js';
import { evidenceRecord } from '../../../src/daemon/validation/evidence-record.js';
import { Findings } from '../../../src/daemon/validation/findings.js';
import type { Diagnostic, FailedTest } from '../../../src/daemon/validation/parsed-output.js';
import type { ValidationVerdict } from '../../../src/daemon/validation/validation-verdict.js';
import { CONTEXT } from './parse.js';

const VERDICT: ValidationVerdict = {
  status: 'failed',
  executionSuccess: false,
  expectationSatisfied: false,
  expectation: 'unexpected_failure',
  countAssertion: null,
  evidenceKind: 'test_failure',
  contradicted: false,
};
const test = (name: string, changes: Partial<FailedTest> = {}): FailedTest => ({ name, message: null, file: null, line: null, ...changes });
const problem = (line: number, changes: Partial<Diagnostic> = {}): Diagnostic => ({ severity: 'error', code: 'E0308', message: 'mismatched types', file: 'src/lib.rs', line, column: 1, ...changes });

/** What the ledger keeps of a run that found these; every record must be one that the ledger takes. */
function recordOf(fill: (findings: Findings) => void): ValidationEvidence {
  const findings = new Findings(CONTEXT);
  fill(findings);
  const parsed = { counts: null, reason: 'complete_summary', evidenceKind: 'test_failure', diagnostics: findings.diagnostics, failedTests: findings.failedTests } as const;
  return validationEvidenceSchema.parse(evidenceRecord({ kind: 'test', scopeIdentity: `validation_scope:v1:${'0'.repeat(64)}` }, VERDICT, parsed, 'pytest/1'));
}

describe('the evidence of a validation', () => {
  it('keeps no secret of a test’s name or file, and nothing of what it said', () => {
    const key = `sk-ant-api03-${'A'.repeat(40)}`;
    const record = recordOf((findings) => {
      findings.failedTest(test(`test_login[${key}]`, { message: `password=hunter2hunter2 ${key}`, file: `tests/${key}.py`, line: 3 }));
      findings.diagnostic(problem(4, { message: `token=${key}` }));
    });
    const kept = JSON.stringify(record);
    expect(kept).not.toContain(key);
    expect(kept).not.toContain('hunter2');
    expect(kept).not.toContain('mismatched');
    expect(record.failures).toMatchObject([{ kind: 'test', name: 'test_login[[redacted]]', line: 3 }, { kind: 'diagnostic', name: 'E0308', file: 'src/lib.rs', line: 4 }]);
  });

  it('keeps names without colours, control characters or a half of a pair, bounded', () => {
    const record = recordOf((findings) => {
      findings.failedTest(test('\u001b[31mred\u001b[0m\nline\u0000two'));
      findings.failedTest(test('😀'.repeat(300)));
    });
    const [first, second] = record.failures;
    expect(first?.name).toBe('red line two');
    expect(second?.name).toBe(`${'😀'.repeat(239)}…`);
  });

  it('names no file outside of the project', () => {
    const files = ['/etc/passwd', '../other/a.rs', 'src/../../b.rs', '/srv/demo/src/ok.rs'];
    const record = recordOf((findings) => files.forEach((file) => findings.failedTest(test(file, { file }))));
    expect(record.failures.map(({ file }) => file)).toEqual([null, null, null, 'src/ok.rs']);
  });

  it('has 20 failures by name, tells 500 more apart, and counts the rest', () => {
    const record = recordOf((findings) => {
      for (let index = 0; index < 600; index += 1) findings.failedTest(test(`test_${index}`));
    });
    expect(record.failures.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, index) => `test_${index}`));
    expect(new Set(record.further_failures).size).toBe(500);
    expect(record.failures_total).toBe(600);
  });

  it('counts errors only, however many warnings stand beside them', () => {
    const record = recordOf((findings) => {
      for (let line = 1; line <= 25; line += 1) findings.diagnostic(problem(line));
      for (let line = 1; line <= 25; line += 1) findings.diagnostic(problem(line));
      for (let line = 1; line <= 30; line += 1) findings.diagnostic(problem(line, { severity: 'warning' }));
    });
    expect([record.failures.length, record.further_failures?.length, record.failures_total]).toEqual([20, 5, 25]);
  });
});
