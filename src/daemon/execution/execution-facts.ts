import { EXECUTION_STATE_FACTS, EXECUTION_STATES, type ExecutionState } from '../../protocol/execution-state.js';
import type { JobId } from '../../protocol/ids.js';
import type { ExecutionReport } from '../../protocol/runner/execution.js';
import type { JobView } from '../../protocol/runner/jobs.js';
import type { Failure } from '../../protocol/tool-result.js';
import type { EvidenceFacts } from '../kernel/evidence-facts.js';
import { checkIdentity, isCheckPurpose } from './command-identity.js';
import { expectationVerdict } from './expectation.js';
import type { ExecutionPlan } from './plan.js';

/** Evidence of an execution that is over. What a command changed is never proven. */
export function finishedFacts(plan: ExecutionPlan, report: ExecutionReport): EvidenceFacts {
  const { started, completed } = EXECUTION_STATE_FACTS[report.execution_state];
  return {
    ...declaredFacts(plan),
    exitCode: report.exit_code,
    effect: {
      stateChanged: null,
      commandStarted: started,
      commandCompleted: completed,
      executionState: report.execution_state,
    },
    ...(report.failure_kind === null ? {} : { failureKind: report.failure_kind }),
    failureExpectationResult: expectationVerdict(plan.declaration, {
      success: report.failure_kind === null,
      executionState: report.execution_state,
      exitCode: report.exit_code,
      failureKind: report.failure_kind,
      toolFailure: report.tool_failure,
    }),
    ...(isCheckPurpose(plan.purpose)
      ? {
          validationOutput: {
            purpose: plan.purpose,
            cwd: report.cwd,
            stdoutTail: report.stdout.text,
            stderrTail: report.stderr.text,
            truncated: report.stdout.truncated || report.stderr.truncated,
          },
        }
      : {}),
  };
}

/** Evidence of work that was admitted as a Job; its end is another event. */
export function jobFacts(plan: ExecutionPlan, job: JobView): EvidenceFacts {
  const { started, completed } = EXECUTION_STATE_FACTS[job.execution_state];
  return {
    ...declaredFacts(plan),
    jobId: job.job_id as JobId,
    effect: { stateChanged: null, commandStarted: started, commandCompleted: completed, executionState: job.execution_state },
    failureExpectationResult: expectationVerdict(plan.declaration, null),
  };
}

/** Evidence of an execution that the Runner refused, or whose fate it could not tell. */
export function refusedFacts(plan: ExecutionPlan, refusal: Failure): EvidenceFacts {
  const said = refusal.output['execution_state'];
  const executionState: ExecutionState = EXECUTION_STATES.find((state) => state === said) ?? 'not_started';
  const { started, completed } = EXECUTION_STATE_FACTS[executionState];
  const failureKind = refusal.output['failure_kind'];
  return {
    ...declaredFacts(plan),
    effect: { stateChanged: started ? null : false, commandStarted: started, commandCompleted: completed, executionState },
    ...(typeof failureKind === 'string' ? { failureKind } : {}),
    ...(started ? { failureExpectationResult: 'unexpected_failure' } : {}),
  };
}

function declaredFacts(plan: ExecutionPlan): EvidenceFacts {
  const { expectation, acceptedExitCodes } = plan.declaration;
  const identity = checkIdentity(plan);
  return {
    ...(expectation === undefined ? {} : { resultExpectation: expectation }),
    ...(acceptedExitCodes === undefined ? {} : { acceptedExitCodes }),
    ...(plan.assertionName === undefined ? {} : { assertionName: plan.assertionName }),
    ...(identity === null ? {} : { contextResultSummary: { validation_identity: identity } }),
  };
}
