import type { Domain } from '../domain.js';
import { DAEMON_EPOCH } from '../jobs/index.js';
import type { RunnerPort } from '../runner-link/port.js';
import type { SessionsDomain } from '../sessions/index.js';
import { ADAPTERS } from './adapters/index.js';
import { parserFinder } from './parsers.js';
import type { ValidatorDeps } from './run-validator.js';
import { TerminalJobs } from './terminal/reconcile-jobs.js';
import { cargoCheck } from './tools/cargo-check.js';
import { cargoFmt } from './tools/cargo-fmt.js';
import { cargoTest } from './tools/cargo-test.js';
import { goTest } from './tools/go-test.js';
import { projectValidate } from './tools/project-validate.js';
import { readValidationSummary } from './tools/read-validation-summary.js';

export { failureDigest } from './failure-digest.js';
export { attemptBoundary, type AttemptBoundary } from './history/attempt-boundary.js';
export { checkName, isCheck, purposeOf } from './history/check-identity.js';
export { plainChecks, plainChecksView, type PlainCheck } from './history/checks-outside-validators.js';
export { changedContent, changedPaths, lastContentChange } from './history/content-changes.js';
export { finishedCalls, type FinishedCall } from './history/finished-calls.js';
export { DELTA_NOT_REQUESTED, validationDelta, type ValidationDelta } from './summary/validation-delta.js';
export { isDeciding, validationEvents, type ValidationEvent } from './summary/validation-event.js';
export { latestStatus, validationSummary, validationSummaryView, type ValidationSummary } from './summary/validation-summary.js';

export { takeInJobEnds } from './terminal/take-in-job-ends.js';

export interface ValidationDeps {
  readonly runner: RunnerPort;
  readonly sessions: Pick<SessionsDomain, 'snapshot' | 'recordTerminalValidations'>;
  readonly epoch?: string;
}

/** Structured validation, and the evidence that ended Jobs leave. */
export interface ValidationDomain extends Domain {
  /** Takes what the ended Jobs of a Session say into its ledger (spec 06 §6), before evidence is read. */
  readonly terminalJobs: TerminalJobs;
}

/** Structured validation: toolchains run by argv that we build, and what their whole output proves (spec 03 §7). */
export function createValidationDomain({ runner, sessions, epoch = DAEMON_EPOCH }: ValidationDeps): ValidationDomain {
  const findParser = parserFinder(ADAPTERS);
  const deps: ValidatorDeps = { runner, epoch, findParser };
  const terminalJobs = new TerminalJobs({ runner, sessions, findParser });
  return {
    name: 'validation',
    tools: [
      cargoFmt(deps),
      cargoCheck(deps),
      cargoTest(deps),
      goTest(deps),
      projectValidate({ ...deps, adapters: ADAPTERS }),
      readValidationSummary({ sessions, terminalJobs }),
    ],
    terminalJobs,
  };
}
