import { z } from 'zod';
import { RESULT_EXPECTATIONS, type ResultExpectation } from '../../../protocol/execution-state.js';
import { executeInShellMethod, type ShellCommandReport, type ShellView } from '../../../protocol/runner/shells.js';
import type { Failure } from '../../../protocol/tool-result.js';
import { answerDueMs, command, commandIdentity, executionInputs, expectationVerdict, foregroundInputs } from '../../execution/index.js';
import type { EvidenceFacts } from '../../kernel/evidence-facts.js';
import { defineTool, type HandlerOutcome, type Tool } from '../../kernel/tool.js';
import type { RunnerPort } from '../../runner-link/index.js';
import { refuseWithoutShells, shellPlace } from '../bound-request.js';
import { commandResult, commandResultSchema, EXECUTION_STATE_OF, isSuccess } from '../command-result.js';
import { lostAnswer } from '../lost-answer.js';
import { refusedEvidence, shellEvidence } from '../shell-evidence.js';
import { boundTo, shellId, SHELL_TOOL } from '../shell-tool.js';

const input = z.strictObject({
  ...boundTo,
  shell_id: shellId,
  command,
  purpose: executionInputs.purpose,
  timeout_secs: foregroundInputs.timeout_secs,
  sync_wait_secs: foregroundInputs.sync_wait_secs.meta({ description: 'Answer with execution_state running after this long; default its end' }),
  result_expectation: z.enum(RESULT_EXPECTATIONS).optional().meta({ description: 'What exit is expected; evidence only' }),
});
type ExecuteInput = z.output<typeof input>;

/** `execute_session_shell` (spec 03 §10): one command in the live shell of a Session. */
export function executeSessionShell(deps: { readonly runner: RunnerPort }): Tool {
  return defineTool(
    {
      ...SHELL_TOOL,
      name: 'execute_session_shell',
      title: 'Run a command in a shell',
      summary: 'Runs one command in the live shell of a Session and waits for its end.',
      description:
        'Standard input is empty. A time-out interrupts the command; a shell that does not answer then is ended (shell_reset_required). An answer that is due first says running: the command goes on, and get_session_shell_status tells its end.',
      effect: 'execute',
      risk: 'job_run',
      approval: 'standard',
      idempotency: 'non_idempotent',
      destructive: false,
      shell_like: true,
      session_evidence: 'business_pair',
      recorded_inputs: ['project', 'purpose', 'timeout_secs', 'sync_wait_secs', 'result_expectation'],
      cli: { positionals: ['command'] },
      input,
      output: commandResultSchema,
    },
    async (given, call) => {
      const unable = refuseWithoutShells(deps.runner);
      if (unable !== null) return refused(given, unable);
      const binding = { ...shellPlace(call), shell_id: given.shell_id };
      const executed = await deps.runner.call(
        executeInShellMethod,
        {
          ...binding,
          command: given.command,
          timeout_ms: given.timeout_secs * 1_000,
          answer_after_ms: answerAfterMs(given.sync_wait_secs, call.answerWithinMs),
          stream_output: call.wantsProgress,
        },
        { signal: call.signal, ...(call.wantsProgress ? { onNote: (note) => call.progress(note) } : {}) },
      );
      if ('failure' in executed) {
        const lost = executed.failure.output['error_kind'] === 'outcome_unknown';
        return refused(given, lost ? await lostAnswer(deps.runner, binding) : executed.failure);
      }
      const { shell, command: report } = executed.answer;
      const plan = { purpose: given.purpose, timeoutSecs: given.timeout_secs };
      return { result: commandResult(plan, shell, report), facts: endFacts(given, shell, report) };
    },
  );
}

/** When a command that still runs is answered as such: as the caller wished, and within the bound on the answer. */
function answerAfterMs(syncWaitSecs: number | undefined, answerWithinMs: number | null): number | null {
  const bounds = [
    ...(syncWaitSecs === undefined ? [] : [syncWaitSecs * 1_000]),
    ...(answerWithinMs === null ? [] : [answerDueMs(answerWithinMs)]),
  ];
  return bounds.length === 0 ? null : Math.min(...bounds);
}

/** Evidence of a command; nothing of its text or of what it printed. */
function endFacts(given: ExecuteInput, shell: ShellView, report: ShellCommandReport): EvidenceFacts {
  const { execution_state: state, exit_code: exitCode, failure_kind: failureKind, error_code: errorCode } = report;
  const completed = state === 'completed';
  const executionState = EXECUTION_STATE_OF[state];
  const end = { success: isSuccess(report), executionState, exitCode, failureKind, toolFailure: !completed };
  return {
    ...declaredFacts(given),
    exitCode,
    effect: { stateChanged: null, commandStarted: true, commandCompleted: completed, executionState },
    ...(failureKind === null ? {} : { failureKind }),
    failureExpectationResult: expectationVerdict(declaration(given.result_expectation), state === 'running' ? null : end),
    persistentShell: {
      ...shellEvidence('execute', shell),
      executionState: state,
      ...(errorCode === null ? {} : { errorCode }),
      commandStarted: true,
      commandCompleted: completed,
    },
  };
}

function refused(given: ExecuteInput, refusal: Failure): HandlerOutcome {
  const { failure_kind: kind, command_started: started } = refusal.output;
  const maybe = started === true;
  return {
    result: refusal,
    facts: {
      ...declaredFacts(given),
      persistentShell: refusedEvidence('execute', refusal, given.shell_id),
      effect: {
        stateChanged: maybe ? null : false,
        commandStarted: maybe,
        commandCompleted: false,
        executionState: maybe ? 'outcome_unknown' : 'not_started',
      },
      ...(typeof kind === 'string' ? { failureKind: kind } : {}),
      ...(maybe ? { failureExpectationResult: 'unexpected_failure' } : {}),
    },
  };
}

function declaredFacts({ purpose, command: text, result_expectation: expectation }: ExecuteInput): EvidenceFacts {
  const identity = commandIdentity(purpose, text);
  return {
    ...(expectation === undefined ? {} : { resultExpectation: expectation }),
    ...(identity === null ? {} : { contextResultSummary: { validation_identity: identity } }),
  };
}

function declaration(expectation: ResultExpectation | undefined): { readonly expectation: ResultExpectation | undefined } {
  return { expectation };
}
