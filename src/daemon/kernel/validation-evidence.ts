import { z } from 'zod';

/** What a run proves: formatting, compiling or linting, or tests. */
export const VALIDATION_KINDS = ['format', 'check', 'test'] as const;
export type ValidationKind = (typeof VALIDATION_KINDS)[number];

/** Why a run is no pass, as its end and its output say it (spec 03 §7). */
export const EVIDENCE_KINDS = [
  'compile_error',
  'test_failure',
  'format_diff',
  'timeout',
  'process_exit',
  'unknown',
] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** How well an output proves its counts (spec 06 §3). */
export const EVIDENCE_REASON_CODES = [
  /** Everything that was begun was summed up. */
  'complete_summary',
  /** A part of the output is lost, or could not be read. */
  'output_truncated',
  /** Some harness began and never came to its summary. */
  'partial_harness_summary',
  /** Nothing in the output is a summary. */
  'no_complete_summary',
  /** The stream of events ends in the middle. */
  'incomplete_stream',
] as const;
export type EvidenceReasonCode = (typeof EVIDENCE_REASON_CODES)[number];

/** The buckets of spec 06 §3: `passed` alone is a validation that passed. */
export const VALIDATION_STATUSES = [
  'passed',
  'failed',
  /** It ended well and did not prove as many tests as were asked for. */
  'evidence_gap',
  /** A negative or observed result that was declared before: neutral. */
  'expected_result',
  /** What was declared did not hold. */
  'expectation_mismatch',
] as const;
export type ValidationStatus = (typeof VALIDATION_STATUSES)[number];

export const testCountsSchema = z.strictObject({
  passed: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  ignored: z.int().nonnegative(),
  /** Their sum; `passed + failed` have run. */
  total: z.int().nonnegative(),
});
export type TestCounts = z.infer<typeof testCountsSchema>;

/** How a declared minimum of tests was met (spec 06 §3). */
export const countAssertionSchema = z.strictObject({
  minimum_tests: z.int().positive(),
  actual_tests_run: z.int().nonnegative().nullable(),
  status: z.enum(['passed', 'failed', 'unproven']),
  reason_code: z.enum(['minimum_satisfied', 'minimum_not_met', 'test_count_unproven']),
  evidence_reason_code: z.enum(EVIDENCE_REASON_CODES),
});
export type CountAssertion = z.infer<typeof countAssertionSchema>;

/** What failed, by what a parser calls it; never a line of output. */
export const failureIdentitySchema = z.strictObject({
  kind: z.enum(['test', 'diagnostic', 'unknown']),
  name: z.string().max(240),
  /** Relative to the project. */
  file: z.string().max(512).nullable(),
  line: z.int().nullable(),
});
export type FailureIdentity = z.infer<typeof failureIdentitySchema>;

export const MAX_FAILURES_KEPT = 20;
/** Failures beyond those that are kept by name stay told apart up to here, so that two runs can be compared. */
export const MAX_FURTHER_FAILURES = 500;

/**
 * What the ledger keeps of a structured validation beside the tails of its output: enough
 * to say later what it proved, and what changed since another one.
 */
export const validationEvidenceSchema = z.strictObject({
  kind: z.enum(VALIDATION_KINDS),
  status: z.enum(VALIDATION_STATUSES),
  /** The parser of the output with its version; null when the output could not be read. */
  parser: z.string().max(80).nullable(),
  /** `validation_scope:v1:` and 64 hex: what two runs share that may be compared. */
  scope_identity: z.string().max(100).nullable(),
  evidence_kind: z.enum(EVIDENCE_KINDS).nullable(),
  evidence_reason_code: z.enum(EVIDENCE_REASON_CODES),
  counts: testCountsSchema.nullable(),
  count_assertion: countAssertionSchema.nullable(),
  failures: z.array(failureIdentitySchema).max(MAX_FAILURES_KEPT),
  failures_total: z.int().nonnegative(),
  /** Digests of the failures after those, in their order; absent where there are none. */
  further_failures: z.array(z.string().regex(/^[0-9a-f]{16}$/)).max(MAX_FURTHER_FAILURES).optional(),
});
export type ValidationEvidence = z.infer<typeof validationEvidenceSchema>;
