import { z } from 'zod';
import type { EvidenceFacts } from '../../../src/daemon/kernel/evidence-facts.js';
import { defineTool, projectSelector, sessionSelector, type HandlerOutcome, type Tool } from '../../../src/daemon/kernel/tool.js';
import type { FailureIdentity, TestCounts, ValidationEvidence } from '../../../src/daemon/kernel/validation-evidence.js';
import { failureDigest } from '../../../src/daemon/validation/failure-digest.js';
import type { JobView } from '../../../src/protocol/runner/jobs.js';
import { failure, success } from '../../../src/protocol/tool-result.js';
import { wholeJob } from '../whole-job.js';

/** A validator whose outcome the test decides, with the facts of the real one. */
export function scriptedValidator(name: string): { readonly script: { next: HandlerOutcome }; readonly tool: Tool } {
  const script: { next: HandlerOutcome } = { next: { result: success({}) } };
  const tool = defineTool(
    {
      name,
      title: 'A validator',
      summary: 'A validator.',
      category: 'validation',
      visibility: 'model_visible',
      effect: 'execute',
      risk: 'job_run',
      approval: 'none',
      idempotency: 'non_idempotent',
      scopes: { kind: 'all', scopes: ['job:run'] },
      session: 'records',
      project: 'required',
      path_hint: 'none',
      destructive: false,
      shell_like: false,
      captures_validation_output: true,
      git_like: false,
      change_summary_like: false,
      session_evidence: 'business_pair',
      recorded_inputs: [],
      input: z.strictObject({ project: projectSelector, session_id: sessionSelector.optional() }),
      output: z.looseObject({}),
    },
    () => script.next,
  );
  return { script, tool };
}

export const TARGET = 'target:0123456789abcdef01234567';
export const OTHER_TARGET = 'target:76543210fedcba9876543210';

export const counts = (passed: number, failed = 0, ignored = 0): TestCounts => ({
  passed,
  failed,
  ignored,
  total: passed + failed + ignored,
});

export const failedTest = (name: string): FailureIdentity => ({ kind: 'test', name, file: 'src/lib.rs', line: 9 });

/** What a run of tests left; it passed unless the changes say otherwise. */
export function tested(changes: Partial<ValidationEvidence> = {}, facts: EvidenceFacts & { readonly identity?: string } = {}): HandlerOutcome {
  const { identity = TARGET, ...more } = facts;
  const evidence: ValidationEvidence = {
    kind: 'test',
    status: 'passed',
    parser: 'cargo_test/1',
    scope_identity: `validation_scope:v1:${'0'.repeat(64)}`,
    evidence_kind: null,
    evidence_reason_code: 'complete_summary',
    counts: counts(4),
    count_assertion: null,
    failures: [],
    failures_total: 0,
    ...changes,
  };
  const failed = evidence.status !== 'passed';
  const exitCode = failed && evidence.status !== 'evidence_gap' ? 101 : 0;
  return {
    result: failed ? failure('tests_failed', 'tests failed', { exit_code: exitCode }) : success({ exit_code: 0 }),
    facts: {
      exitCode,
      effect: { stateChanged: null, commandStarted: true, commandCompleted: true, executionState: 'completed' },
      contextResultSummary: { validation_identity: identity },
      failureExpectationResult: evidence.status === 'failed' ? 'unexpected_failure' : 'none',
      ...(failed ? { failureKind: 'command_exit_nonzero' } : {}),
      validationOutput: { purpose: 'test', cwd: '.', stdoutTail: '', stderrTail: '', truncated: false, evidence },
      ...more,
    },
  };
}

/** Tests of which some failed. */
export function testsFailed(names: readonly string[], passed = 3): HandlerOutcome {
  return tested({
    status: 'failed',
    evidence_kind: 'test_failure',
    counts: counts(passed, names.length),
    failures: names.slice(0, 20).map(failedTest),
    ...(names.length > 20 ? { further_failures: names.slice(20).map((name) => failureDigest(failedTest(name))) } : {}),
    failures_total: names.length,
  });
}

/** A call that became a Job. */
export function admitted(jobId: string, facts: EvidenceFacts = {}): HandlerOutcome {
  return {
    result: success({ job_id: jobId, execution_state: 'running' }),
    facts: {
      jobId: jobId as NonNullable<EvidenceFacts['jobId']>,
      effect: { stateChanged: null, commandStarted: true, commandCompleted: false, executionState: 'running' },
      contextResultSummary: { validation_identity: TARGET },
      failureExpectationResult: 'none',
      ...facts,
    },
  };
}

/** A validator's Job that ended, at a time in seconds, with an exit code. */
export function endedJob(jobId: string, finishedAt: number, exitCode: number, changes: Partial<JobView> = {}): JobView {
  return wholeJob({
    job_id: jobId,
    output_id: `out_${jobId}`,
    status: exitCode === 0 ? 'completed' : 'failed',
    execution_state: 'completed',
    outcome: exitCode === 0 ? 'succeeded' : 'failed',
    source: 'cargo_test',
    purpose: 'test',
    exit_code: exitCode,
    failure_kind: exitCode === 0 ? null : 'command_exit_nonzero',
    started_at_ms: finishedAt * 1_000 - 1_500,
    finished_at_ms: finishedAt * 1_000,
    duration_ms: 1_500,
    project: 'agent:local:a',
    annotations: {
      validation_identity: TARGET,
      validation_target_id: TARGET.slice('target:'.length),
      validation_kind: 'test',
      validation_scope: `validation_scope:v1:${'0'.repeat(64)}`,
      validation_parser: 'cargo_test/1',
      validation_hints: {},
      minimum_tests: null,
    },
    ...changes,
  });
}

/** What cargo's harness prints when all tests pass. */
export function harnessOutput(passed: number): string {
  return `\nrunning ${passed} tests\n\ntest result: ok. ${passed} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n`;
}
