import { commandPreview } from '../../protocol/command-preview.js';
import { isErrorKind } from '../../protocol/error-kinds.js';
import { startExecutionMethod, type ExecutionReport } from '../../protocol/runner/execution.js';
import type { JobView } from '../../protocol/runner/jobs.js';
import type { RemotePlace } from '../../protocol/runner/ssh.js';
import type { Failure, FailureDetail, Json } from '../../protocol/tool-result.js';
import { failure } from '../../protocol/tool-result.js';
import { projectOf, type CallContext } from '../kernel/call-context.js';
import type { HandlerOutcome } from '../kernel/tool.js';
import { firstObservation, type FirstObservation } from '../jobs/index.js';
import type { RunnerPort } from '../runner-link/index.js';
import { checkIdentity } from './command-identity.js';
import { finishedFacts, jobFacts, refusedFacts } from './execution-facts.js';
import { finishedResult, jobResult } from './execution-output.js';
import { handOff, type HandOff } from './hand-off.js';
import type { ExecutionPlan } from './plan.js';
import { refuseWithoutSsh } from './refuse-without-ssh.js';
import { publishWhenLeft } from './publish-when-left.js';

export interface ExecutionDeps {
  readonly runner: RunnerPort;
  /** One life of the daemon, for observation tokens. */
  readonly epoch: string;
}

/** What came of a plan: never started or of unknown fate, over, or going on as a Job. */
export type Execution =
  | { readonly kind: 'refused'; readonly failure: Failure }
  | { readonly kind: 'finished'; readonly wait: HandOff; readonly report: ExecutionReport }
  | { readonly kind: 'job'; readonly wait: HandOff; readonly job: JobView; readonly seen: FirstObservation | null };

/** Runs a plan and answers with what came of it. */
export async function execute(deps: ExecutionDeps, call: CallContext, plan: ExecutionPlan): Promise<HandlerOutcome> {
  return executionOutcome(plan, await runPlan(deps, call, plan));
}

/**
 * Runs a plan: starts one process, once, and waits for its end or for the Job that it
 * becomes. A cancel ends its process tree; a caller that vanishes leaves it running.
 */
export async function runPlan(deps: ExecutionDeps, call: CallContext, plan: ExecutionPlan): Promise<Execution> {
  const project = projectOf(call);
  const unable = plan.resource === null ? null : refuseWithoutSsh(deps.runner, plan.resource, 'ssh_shell');
  if (unable !== null) return { kind: 'refused', failure: withExecutionState(unable) };
  const timeoutMs = plan.timeoutSecs * 1_000;
  const wait =
    plan.synchronous === true
      ? { syncWaitMs: timeoutMs, afterMs: null }
      : handOff({ timeoutMs, syncWaitSecs: plan.syncWaitSecs, answerWithinMs: call.answerWithinMs });
  const executionId = call.invocationId;
  const stopWatching = plan.mode === 'foreground' && plan.synchronous !== true ? publishWhenLeft(deps.runner, call, executionId) : null;
  const answer = await deps.runner.call(
    startExecutionMethod,
    {
      execution_id: executionId,
      root: { path: project.path, fingerprint: project.rootFingerprint },
      project: project.id,
      session_id: call.session?.sessionId ?? null,
      source: plan.source,
      purpose: plan.purpose,
      program: plan.program,
      command_preview: commandPreview(plan.shownAs ?? plan.commandText),
      stdin: plan.stdin ?? (call.stdinPipe === null ? null : { pipe: call.stdinPipe }),
      ...where(plan),
      timeout_ms: timeoutMs,
      mode: plan.mode,
      hand_off_after_ms: plan.mode === 'job' ? null : wait.afterMs,
      environment: plan.resource === null ? call.environment : null,
      stream_output: call.wantsProgress,
      annotations: annotations(plan),
    },
    { signal: call.signal, ...(call.wantsProgress ? { onNote: (note) => call.progress(note) } : {}) },
  );
  stopWatching?.();

  if ('failure' in answer) return { kind: 'refused', failure: withExecutionState(answer.failure) };
  if (answer.answer.outcome === 'finished') return { kind: 'finished', wait, report: answer.answer.report };
  const { job } = answer.answer;
  return { kind: 'job', wait, job, seen: await firstObservation(deps, job.job_id) };
}

/** A folder of this machine's project, or of the resource. */
function where({ cwd, resource }: ExecutionPlan): { readonly cwd: string | null; readonly remote?: RemotePlace } {
  return resource === null ? { cwd } : { cwd: null, remote: { resource, cwd } };
}

/** The ToolResult and the evidence of an execution, as its own facts have it. */
export function executionOutcome(plan: ExecutionPlan, execution: Execution): HandlerOutcome {
  switch (execution.kind) {
    case 'refused':
      return { result: execution.failure, facts: refusedFacts(plan, execution.failure) };
    case 'finished':
      return { result: finishedResult(plan, execution.wait, execution.report), facts: finishedFacts(plan, execution.report) };
    case 'job': {
      const { wait, job, seen } = execution;
      return { result: jobResult(plan, plan.mode === 'job' ? null : wait, job, seen), facts: jobFacts(plan, job) };
    }
  }
}

/** A plan that is refused before the Runner is asked: nothing was started. */
export function notStarted(plan: Pick<ExecutionPlan, 'source'>, refusal: Failure): HandlerOutcome {
  const result = withExecutionState(refusal);
  return {
    result: { ...result, output: { ...result.output, execution_source: plan.source } },
    facts: {
      effect: { stateChanged: false, commandStarted: false, commandCompleted: false, executionState: 'not_started' },
      ...(typeof result.output['failure_kind'] === 'string' ? { failureKind: result.output['failure_kind'] } : {}),
    },
  };
}

/** What a Job keeps of the call's declarations, for the evidence of its end. */
function annotations(plan: ExecutionPlan): Record<string, Json> {
  const { expectation, acceptedExitCodes } = plan.declaration;
  const identity = checkIdentity(plan);
  return {
    ...(expectation === undefined ? {} : { result_expectation: expectation }),
    ...(acceptedExitCodes === undefined ? {} : { accepted_exit_codes: acceptedExitCodes }),
    ...(plan.assertionName === undefined ? {} : { assertion_name: plan.assertionName }),
    ...(identity === null ? {} : { validation_identity: identity }),
    ...plan.validator?.annotations,
  };
}

/**
 * Adds the facts of an execution to a failure that does not carry them: one that never
 * reached a Runner did not start, one whose answer was lost may have.
 */
function withExecutionState(refusal: Failure): Failure {
  const { error_kind: kind, recovery_kind: _implied, ...detail } = refusal.output;
  if (detail['execution_state'] !== undefined || typeof kind !== 'string' || !isErrorKind(kind)) return refusal;
  const unknown = kind === 'outcome_unknown';
  return failure(kind, refusal.error, {
    state_changed: unknown ? null : false,
    execution_state: unknown ? 'outcome_unknown' : 'not_started',
    command_started: unknown,
    command_completed: false,
    command_ok: false,
    tool_failure: true,
    failure_kind: failureKindOf(kind),
    terminal: !unknown,
    ...(detail as FailureDetail),
  });
}

function failureKindOf(kind: string): string {
  switch (kind) {
    case 'runner_unavailable':
      return 'agent_offline';
    case 'internal_error':
      return 'runtime_error';
    default:
      return kind;
  }
}
