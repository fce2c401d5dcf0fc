import type { Purpose, ResultExpectation } from '../../protocol/execution-state.js';
import type { Program } from '../../protocol/runner/execution.js';
import type { CallContext } from '../kernel/call-context.js';
import type { HandlerOutcome } from '../kernel/tool.js';
import { execute, notStarted, type ExecutionDeps } from './execute.js';
import { executionPlace, type ExecutionPlace } from './execution-place.js';
import type { ExecutionPlan } from './plan.js';

/** What of an execution a caller may say, whatever the program is. */
export interface GivenExecution {
  readonly cwd?: string | undefined;
  readonly shell?: 'sh' | 'bash' | undefined;
  readonly stdin?: string | undefined;
  readonly purpose: Purpose;
  readonly timeout_secs: number;
  readonly sync_wait_secs?: number | undefined;
  readonly result_expectation?: ResultExpectation | undefined;
  readonly accepted_exit_codes?: readonly number[] | undefined;
  readonly assertion_name?: string | undefined;
}

/** What a tool runs, and how. */
export interface ProgramRun extends Pick<ExecutionPlan, 'source' | 'mode' | 'commandText' | 'shownAs'> {
  /** Whether the tool can run on a resource of the Session. */
  readonly takesResource: boolean;
  readonly program: (place: ExecutionPlace) => Program;
}

/** Runs a tool's program: where its call, else its Session, says (spec 03 §9). */
export function runProgram(deps: ExecutionDeps, call: CallContext, given: GivenExecution, run: ProgramRun): Promise<HandlerOutcome> | HandlerOutcome {
  const { takesResource, program, ...how } = run;
  const place = executionPlace(call.session, given, takesResource);
  if ('failure' in place) return notStarted(how, place.failure);
  return execute(deps, call, {
    ...how,
    program: program(place),
    stdin: given.stdin ?? null,
    cwd: place.cwd,
    resource: place.resource,
    purpose: given.purpose,
    timeoutSecs: given.timeout_secs,
    syncWaitSecs: given.sync_wait_secs,
    declaration: { expectation: given.result_expectation, acceptedExitCodes: given.accepted_exit_codes },
    assertionName: given.assertion_name,
  });
}
