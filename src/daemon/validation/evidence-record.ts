import {
  MAX_FAILURES_KEPT,
  MAX_FURTHER_FAILURES,
  type FailureIdentity,
  type ValidationEvidence,
} from '../kernel/validation-evidence.js';
import { redactAndBound } from '../redaction/index.js';
import type { ParserId } from './adapter.js';
import { failureDigest } from './failure-digest.js';
import type { Bounded, ParsedOutput } from './parsed-output.js';
import type { ValidationVerdict } from './validation-verdict.js';
import type { ValidatorMetadata } from './validator-metadata.js';

const MAX_NAME_CHARACTERS = 240;
const MAX_FILE_CHARACTERS = 512;

/** What the ledger keeps of a judged run: names of what failed, redacted, and no line of output. */
export function evidenceRecord(
  { kind, scopeIdentity }: Pick<ValidatorMetadata, 'kind' | 'scopeIdentity'>,
  verdict: ValidationVerdict,
  parsed: ParsedOutput,
  parser: ParserId | null,
): ValidationEvidence {
  const failures = failureIdentities(parsed);
  const further = failures.slice(MAX_FAILURES_KEPT, MAX_FAILURES_KEPT + MAX_FURTHER_FAILURES).map(failureDigest);
  return {
    kind,
    status: verdict.status,
    parser,
    scope_identity: scopeIdentity,
    evidence_kind: verdict.evidenceKind,
    evidence_reason_code: parsed.reason,
    counts: parsed.counts,
    count_assertion: verdict.countAssertion,
    failures: failures.slice(0, MAX_FAILURES_KEPT),
    failures_total: parsed.failedTests.total + errorsTotal(parsed),
    ...(further.length === 0 ? {} : { further_failures: further }),
  };
}

/** What failed: tests by their names, errors of a compiler or linter by their codes and places. */
function failureIdentities({ failedTests, diagnostics }: ParsedOutput): FailureIdentity[] {
  const tests = wholeList(failedTests).map(({ name, file, line }) => identity('test', name, file, line));
  const errors = wholeList(diagnostics)
    .filter(({ severity }) => severity === 'error')
    .map(({ code, file, line }) => identity('diagnostic', code ?? 'error', file, line));
  return [...tests, ...errors];
}

function errorsTotal({ diagnostics }: ParsedOutput): number {
  const errors = wholeList(diagnostics).filter(({ severity }) => severity === 'error').length;
  // Where even the list of those that are told apart is full, the rest may be errors as well.
  return diagnostics.further?.length === MAX_FURTHER_FAILURES ? diagnostics.total : errors;
}

function wholeList<Item>({ items, further = [] }: Bounded<Item>): readonly Item[] {
  return [...items, ...further];
}

function identity(kind: FailureIdentity['kind'], name: string, file: string | null, line: number | null): FailureIdentity {
  return {
    kind,
    name: redactAndBound(name, MAX_NAME_CHARACTERS).text,
    file: file === null ? null : redactAndBound(file, MAX_FILE_CHARACTERS).text,
    line,
  };
}
