import type { JobId } from '../../../protocol/ids.js';
import type { JobView } from '../../../protocol/runner/jobs.js';
import { EXECUTION_STATE_FACTS, RESULT_EXPECTATIONS, type FailureKind } from '../../../protocol/execution-state.js';
import { expectationVerdict, type ExpectationDeclaration, type ObservedEnd } from '../../execution/index.js';
import type { EvidenceFacts } from '../../kernel/evidence-facts.js';
import type { SessionEvent, TerminalValidation } from '../../sessions/index.js';
import { evidenceRecord } from '../evidence-record.js';
import type { ValidationReading } from '../read-validation.js';
import { validationVerdict } from '../validation-verdict.js';
import type { ValidatorMetadata } from '../validator-metadata.js';

/** The ends of a Job's streams, as far as they are still there. */
export interface OutputTails {
  readonly stdoutTail: string;
  readonly stderrTail: string;
  readonly truncated: boolean;
}

/** What is known of a Job's end beside the Job itself. */
export interface JobEndFacts {
  /** The event of the call that became the Job; null when it is no longer retained. */
  readonly acceptance: SessionEvent | null;
  readonly tails: OutputTails;
  /** Of a validator's Job: what it is, and what its whole output proves. */
  readonly validator: (ValidationReading & { readonly metadata: ValidatorMetadata }) | null;
}

/**
 * What the end of a Job says as evidence (spec 06 §6, steps 4 to 6): pure facts of the
 * Job, of its retained acceptance and of its parsed output. What was expected counts only
 * as long as the acceptance that declared it is retained.
 */
export function terminalValidation(job: JobView, { acceptance, tails, validator }: JobEndFacts): TerminalValidation {
  const declared = declarationOf(acceptance);
  const end = observedEnd(job);
  const verdict = validator === null ? null : validationVerdict(end, declared, validator.metadata.minimumTests, validator.parsed);
  const success = verdict === null ? end.success : verdict.executionSuccess && verdict.status !== 'evidence_gap';
  const failureKind = success ? null : failureKindOf(job, end);
  const { started, completed } = EXECUTION_STATE_FACTS[job.execution_state];
  const identity = job.annotations['validation_identity'];
  const assertion = job.annotations['assertion_name'];
  const evidence: EvidenceFacts = {
    exitCode: job.exit_code,
    effect: { stateChanged: null, commandStarted: started, commandCompleted: completed, executionState: job.execution_state },
    ...(failureKind === null ? {} : { failureKind }),
    ...(declared.expectation === undefined ? {} : { resultExpectation: declared.expectation }),
    ...(declared.acceptedExitCodes === undefined ? {} : { acceptedExitCodes: declared.acceptedExitCodes }),
    ...(typeof assertion === 'string' ? { assertionName: assertion } : {}),
    failureExpectationResult: verdict?.expectation ?? expectationVerdict(declared, end),
    ...(typeof identity === 'string' ? { contextResultSummary: { validation_identity: identity } } : {}),
    validationOutput: {
      purpose: job.purpose,
      cwd: job.cwd,
      ...tails,
      ...(validator === null || verdict === null
        ? {}
        : { evidence: evidenceRecord(validator.metadata, verdict, validator.parsed, validator.parser) }),
    },
  };
  return {
    jobId: job.job_id as JobId,
    finishedAt: seconds(job.finished_at_ms),
    run: {
      tool_name: job.source,
      risk_class: 'job_run',
      status: success ? 'succeeded' : 'failed',
      shell_like: true,
      started_at: seconds(job.started_at_ms),
      duration_ms: job.duration_ms,
    },
    evidence,
  };
}

function declarationOf(acceptance: SessionEvent | null): ExpectationDeclaration {
  const expectation = RESULT_EXPECTATIONS.find((one) => one === acceptance?.result_expectation);
  return {
    ...(expectation === undefined ? {} : { expectation }),
    ...(acceptance?.accepted_exit_codes === undefined ? {} : { acceptedExitCodes: acceptance.accepted_exit_codes }),
  };
}

/** `completed` with exit code 0 is the only success. */
function observedEnd(job: JobView): ObservedEnd {
  const success = job.status === 'completed' && job.exit_code === 0;
  return {
    success,
    executionState: job.execution_state,
    exitCode: job.exit_code,
    failureKind: success ? null : (job.failure_kind ?? knownKind(job)),
    toolFailure: job.tool_failure,
  };
}

function knownKind({ status }: JobView): FailureKind {
  switch (status) {
    case 'timed_out':
      return 'timeout';
    case 'stopped':
      return 'cancelled';
    case 'lost':
      return 'outcome_unknown';
    default:
      return 'command_exit_nonzero';
  }
}

/** The failure kinds of spec 06 §6.5. */
function failureKindOf({ status }: JobView, end: ObservedEnd): string {
  switch (status) {
    case 'timed_out':
      return 'timeout';
    case 'stopped':
      return 'cancelled';
    case 'lost':
      return 'execution_lost';
    default:
      return end.success ? 'validation_failed' : 'command_exit_nonzero';
  }
}

function seconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : Math.floor(milliseconds / 1_000);
}
