import { z } from 'zod';
import {
  countAssertionSchema,
  EVIDENCE_KINDS,
  EVIDENCE_REASON_CODES,
  testCountsSchema,
  VALIDATION_KINDS,
  VALIDATION_STATUSES,
} from '../kernel/validation-evidence.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import { executionOutput } from '../execution/index.js';
import { ADAPTER_NAMES, type AdapterName, type ParserId } from './adapter.js';
import type { ParsedOutput } from './parsed-output.js';
import type { ValidationVerdict } from './validation-verdict.js';
import type { ValidatorMetadata } from './validator-metadata.js';

const place = { file: z.string().nullable(), line: z.int().nullable() };

/** What a validator adds to the fields of an execution. */
const validationView = z.looseObject({
  adapter: z.enum(ADAPTER_NAMES),
  kind: z.enum(VALIDATION_KINDS),
  /** `pending` while a Job goes on; `not_started` where nothing ran, which is no evidence. */
  status: z.enum([...VALIDATION_STATUSES, 'pending', 'not_started', 'unknown']),
  /** Null as long as it is not decided. */
  validation_passed: z.boolean().nullable(),
  execution_success: z.boolean().nullable(),
  expectation_satisfied: z.boolean().nullable(),
  failure_expectation_result: z.string(),
  evidence_kind: z.enum(EVIDENCE_KINDS).nullable(),
  evidence_reason_code: z.enum(EVIDENCE_REASON_CODES).nullable(),
  parser: z.string().nullable(),
  counts: testCountsSchema.nullable(),
  count_assertion: countAssertionSchema.nullable(),
  /** At most 20, errors before warnings. */
  diagnostics: z.array(
    z.object({
      severity: z.enum(['error', 'warning']),
      code: z.string().nullable(),
      message: z.string(),
      ...place,
      column: z.int().nullable(),
    }),
  ),
  diagnostics_total: z.int(),
  failed_tests: z.array(z.object({ name: z.string(), message: z.string().nullable(), ...place })),
  failed_tests_total: z.int(),
});

/** The answer of every validator. */
export const validatorOutput = executionOutput.extend({
  validation_target_id: z.string(),
  validation: validationView,
});

/** What is the same in every answer of one run, whatever became of it. */
export interface ValidatedRun {
  readonly adapter: AdapterName;
  readonly metadata: ValidatorMetadata;
}

const NOTHING_FOUND = {
  evidence_kind: null,
  evidence_reason_code: null,
  counts: null,
  count_assertion: null,
  diagnostics: [],
  diagnostics_total: 0,
  failed_tests: [],
  failed_tests_total: 0,
};

/** The fields of a run that is judged. */
export function judgedView({ adapter, metadata }: ValidatedRun, verdict: ValidationVerdict, parsed: ParsedOutput, parser: ParserId | null): JsonObject {
  return {
    validation_target_id: metadata.targetId,
    validation: {
      adapter,
      kind: metadata.kind,
      status: verdict.status,
      validation_passed: verdict.status === 'passed',
      execution_success: verdict.executionSuccess,
      expectation_satisfied: verdict.expectationSatisfied,
      failure_expectation_result: verdict.expectation,
      evidence_kind: verdict.evidenceKind,
      evidence_reason_code: parsed.reason,
      parser,
      counts: parsed.counts,
      count_assertion: verdict.countAssertion,
      diagnostics: parsed.diagnostics.items.map((found) => ({ ...found })),
      diagnostics_total: parsed.diagnostics.total,
      failed_tests: parsed.failedTests.items.map((found) => ({ ...found })),
      failed_tests_total: parsed.failedTests.total,
    },
  };
}

/** The same fields of a run that has no verdict: it goes on as a Job, never started, or its fate is unknown. */
export function undecidedView({ adapter, metadata }: ValidatedRun, status: 'pending' | 'not_started' | 'unknown'): JsonObject {
  return {
    validation_target_id: metadata.targetId,
    validation: {
      adapter,
      kind: metadata.kind,
      status,
      validation_passed: null,
      execution_success: null,
      expectation_satisfied: null,
      failure_expectation_result: 'none',
      parser: metadata.parser,
      ...NOTHING_FOUND,
      ...(metadata.minimumTests === null ? {} : { minimum_tests: metadata.minimumTests }),
    },
  };
}
