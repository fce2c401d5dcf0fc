import type { Domain } from '../domain.js';
import { DAEMON_EPOCH } from '../jobs/index.js';
import type { RunnerPort } from '../runner-link/index.js';
import { runJob } from './tools/run-job.js';
import { runProcess } from './tools/run-process.js';
import { runScript } from './tools/run-script.js';
import { runShell } from './tools/run-shell.js';

export { commandIdentity } from './command-identity.js';
export { executionOutcome, notStarted, runPlan, type Execution, type ExecutionDeps } from './execute.js';
export { EXECUTING_TOOL } from './executing-tool.js';
export { errorKindOf, executionOutput, streamFacts } from './execution-output.js';
export { executionPlace } from './execution-place.js';
export { answerDueMs } from './hand-off.js';
export { command, executionInputs, foregroundInputs, placedCwd, secondsUpTo, shell } from './inputs.js';
export type { ExecutionPlan } from './plan.js';
export { refuseWithoutSsh } from './refuse-without-ssh.js';
export { shellCommandLine } from './shell-words.js';
export { expectationVerdict, type ExpectationDeclaration, type ExpectationVerdict, type ObservedEnd } from './expectation.js';

/** The tools that run something: one process each, started once by the Runner (spec 03 §4). */
export function createExecutionDomain({ runner, epoch = DAEMON_EPOCH }: { readonly runner: RunnerPort; readonly epoch?: string }): Domain {
  const deps = { runner, epoch };
  return { name: 'execution', tools: [runProcess(deps), runScript(deps), runShell(deps), runJob(deps)] };
}
