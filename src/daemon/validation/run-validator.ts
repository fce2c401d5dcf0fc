import type { ExecutionReport } from '../../protocol/runner/execution.js';
import { failure, type Failure, type JsonObject, type ToolResult } from '../../protocol/tool-result.js';
import {
  executionOutcome,
  notStarted,
  runPlan,
  shellCommandLine,
  type ExecutionDeps,
  type ExecutionPlan,
  type ExpectationDeclaration,
  type ObservedEnd,
} from '../execution/index.js';
import { projectOf, type CallContext } from '../kernel/call-context.js';
import type { EvidenceFacts } from '../kernel/evidence-facts.js';
import type { HandlerOutcome } from '../kernel/tool.js';
import type { ParserId, ValidatorRun } from './adapter.js';
import { evidenceRecord } from './evidence-record.js';
import type { ParsedOutput } from './parsed-output.js';
import { readValidation, type FindParser } from './read-validation.js';
import { judgedView, undecidedView, type ValidatedRun } from './validator-output.js';
import { asAnnotations, validatorMetadata, type ValidatorMetadata } from './validator-metadata.js';
import { validationVerdict, type ValidationVerdict } from './validation-verdict.js';

export interface ValidatorDeps extends ExecutionDeps {
  readonly findParser: FindParser;
}

/** How a validator's tool wants its run waited for, and what it expects of it. */
export interface RunTerms {
  readonly declaration: ExpectationDeclaration;
  readonly syncWaitSecs: number | undefined;
  /** It never becomes a Job. */
  readonly synchronous?: true;
}

/**
 * Runs a validator once and answers with what its whole output proves. Work that takes
 * longer goes on as a Job that keeps what is needed to read its end the same way.
 */
export async function runValidator(
  deps: ValidatorDeps,
  call: CallContext,
  run: ValidatorRun,
  terms: RunTerms,
): Promise<HandlerOutcome> {
  const refusal = resourceRefusal(call);
  if (refusal !== null) return notStarted({ source: run.tool }, refusal);
  const metadata = validatorMetadata(run);
  const validated: ValidatedRun = { adapter: run.adapter, metadata };
  const plan = planOf(run, terms, metadata);
  const execution = await runPlan(deps, call, plan);
  const base = executionOutcome(plan, execution);
  if (execution.kind === 'job') return withFields(base, undecidedView(validated, 'pending'));
  if (execution.kind === 'refused') {
    const started = base.result.output['command_started'] === true;
    return withFields(base, undecidedView(validated, started ? 'unknown' : 'not_started'));
  }
  const { report } = execution;
  const { parsed, parser } = await readValidation(
    deps.runner,
    deps.findParser,
    { outputId: report.output_id, exitCode: report.exit_code, timedOut: report.execution_state === 'timed_out', parser: run.parser },
    { root: projectOf(call).path, cwd: report.cwd, hints: metadata.hints },
    call.signal,
  );
  if (parsed.unavailable !== undefined) return unavailableOutcome(base, validated, parsed.unavailable);
  const verdict = validationVerdict(observedEnd(report), terms.declaration, run.minimumTests, parsed);
  return {
    result: judgedResult(base.result, run, judgedView(validated, verdict, parsed, parser), verdict, parsed),
    facts: judgedFacts(base.facts ?? {}, run, validated, verdict, parsed, parser),
  };
}

/** The tool itself is not installed: the project was not looked at, so that there is no evidence. */
function unavailableOutcome(base: HandlerOutcome, validated: ValidatedRun, why: string): HandlerOutcome {
  const { error_kind: _kind, recovery_kind: _recovery, ...detail } = { ...base.result.output, ...undecidedView(validated, 'not_started') };
  const { effect, exitCode } = base.facts ?? {};
  return {
    result: failure('capability_unavailable', `${why}.`, { ...detail, failure_kind: 'capability_unavailable' }),
    facts: {
      failureKind: 'capability_unavailable',
      ...(effect === undefined ? {} : { effect }),
      ...(exitCode === undefined ? {} : { exitCode }),
    },
  };
}

function planOf(run: ValidatorRun, terms: RunTerms, metadata: ValidatorMetadata): ExecutionPlan {
  return {
    source: run.tool,
    program: { kind: 'process', executable: run.executable, args: [...run.args] },
    commandText: shellCommandLine([run.executable, ...run.args]),
    stdin: null,
    cwd: run.cwd,
    resource: null,
    purpose: run.purpose,
    timeoutSecs: run.timeoutSecs,
    mode: 'foreground',
    syncWaitSecs: terms.syncWaitSecs,
    ...(terms.synchronous === true ? { synchronous: true } : {}),
    declaration: terms.declaration,
    assertionName: undefined,
    validator: { identity: `target:${metadata.targetId}`, annotations: asAnnotations(metadata) },
  };
}

/** A toolchain is asked on this machine, in the project; a Session's resource is no place for it. */
export function resourceRefusal(call: CallContext): Failure | null {
  const resource = call.session?.executionContext.resource;
  if (resource === undefined) return null;
  return failure(
    'unsupported_resource',
    `This Session works on the resource "${resource}", where structured validation never runs; use a Session without a resource.`,
    { failure_kind: 'unsupported_resource', resource, state_changed: false },
  );
}

function observedEnd(report: ExecutionReport): ObservedEnd {
  return {
    success: report.failure_kind === null,
    executionState: report.execution_state,
    exitCode: report.exit_code,
    failureKind: report.failure_kind,
    toolFailure: report.tool_failure,
  };
}

function withFields(base: HandlerOutcome, fields: JsonObject): HandlerOutcome {
  return { ...base, result: { ...base.result, output: { ...base.result.output, ...fields } } };
}

/** The run's own result; where that is a success and the proof is not, the failure that says so. */
function judgedResult(
  base: ToolResult,
  run: ValidatorRun,
  fields: JsonObject,
  verdict: ValidationVerdict,
  parsed: ParsedOutput,
): ToolResult {
  const output = { ...base.output, ...fields };
  if (base.success) {
    if (verdict.contradicted) {
      const message = `${failureSentence(run, verdict, parsed)} The run itself ended with exit code 0.`;
      return failure(run.kind === 'test' ? 'tests_failed' : 'validation_failed', message, { ...output, failure_kind: 'validation_failed' });
    }
    if (verdict.countAssertion === null || verdict.countAssertion.status === 'passed') return { success: true, output };
    return failure('validation_failed', countSentence(verdict.countAssertion), { ...output, failure_kind: 'validation_failed' });
  }
  if (base.output['execution_state'] !== 'completed') return { ...base, output };
  const { error_kind: _kind, recovery_kind: _recovery, ...detail } = output;
  const testsFailed = run.kind === 'test' && parsed.failedTests.total > 0;
  return failure(testsFailed ? 'tests_failed' : 'validation_failed', failureSentence(run, verdict, parsed), { ...detail });
}

function countSentence({ minimum_tests: minimum, actual_tests_run: ran }: NonNullable<ValidationVerdict['countAssertion']>): string {
  if (ran === null) return `The output does not prove that ${tests(minimum)} ran; no test is known to have failed.`;
  return `${tests(ran)} ran, and at least ${tests(minimum)} should have; no test failed.`;
}

function failureSentence(run: ValidatorRun, verdict: ValidationVerdict, { failedTests, diagnostics }: ParsedOutput): string {
  switch (verdict.evidenceKind) {
    case 'test_failure':
      return `${tests(failedTests.total)} failed.`;
    case 'compile_error':
      return `It does not compile; ${diagnostics.total === 1 ? 'the diagnostic says' : 'the diagnostics say'} where.`;
    case 'format_diff':
      return `${diagnostics.total === 1 ? 'One place is' : `${diagnostics.total} places are`} not formatted.`;
    default:
      return `${run.tool} ended without success; its output says why.`;
  }
}

function tests(count: number): string {
  return `${count} test${count === 1 ? '' : 's'}`;
}

function judgedFacts(
  base: EvidenceFacts,
  run: ValidatorRun,
  { metadata }: ValidatedRun,
  verdict: ValidationVerdict,
  parsed: ParsedOutput,
  parser: ParserId | null,
): EvidenceFacts {
  const evidence = evidenceRecord(metadata, verdict, parsed, parser);
  const tails = base.validationOutput ?? { purpose: run.purpose, cwd: run.cwd ?? '.', stdoutTail: '', stderrTail: '', truncated: false };
  return {
    ...base,
    failureExpectationResult: verdict.expectation,
    ...(verdict.contradicted || verdict.status === 'evidence_gap' ? { failureKind: 'validation_failed' } : {}),
    validationOutput: { ...tails, evidence },
  };
}
