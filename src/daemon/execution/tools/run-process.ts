import { z } from 'zod';
import { MAX_COMMAND_BYTES } from '../../../protocol/execution-limits.js';
import { failure, type Failure, type SuggestedCall } from '../../../protocol/tool-result.js';
import { defineTool, type Tool } from '../../kernel/tool.js';
import { notStarted, type ExecutionDeps } from '../execute.js';
import { EXECUTING_TOOL } from '../executing-tool.js';
import {
  acceptedExitCodes,
  args,
  argvFits,
  ARGV_PROBLEM,
  executable,
  executionInputs,
  foregroundInputs,
  stdin,
} from '../inputs.js';
import { runProgram } from '../run-program.js';
import { shellCommandMode } from '../shell-command-mode.js';
import { shellCommandLine } from '../shell-words.js';

const source = 'run_process';

const input = z
  .strictObject({ ...executionInputs, executable, args, stdin, ...foregroundInputs, accepted_exit_codes: acceptedExitCodes })
  .superRefine((given, context) => {
    if (!argvFits(given.executable, given.args)) context.addIssue({ code: 'custom', path: ['args'], message: ARGV_PROBLEM });
    if (given.accepted_exit_codes !== undefined && (given.result_expectation ?? 'observe') !== 'observe') {
      context.addIssue({ code: 'custom', path: ['accepted_exit_codes'], message: 'only with result_expectation observe, or without one' });
    }
  });
type RunProcessInput = z.output<typeof input>;

/** `run_process` (spec 03 §4): one program with literal arguments. */
export function runProcess(deps: ExecutionDeps): Tool {
  return defineTool(
    {
      ...EXECUTING_TOOL,
      name: 'run_process',
      title: 'Run a program',
      summary: 'Runs one program with literal arguments; goes on as a Job when it takes longer.',
      description:
        'Nothing is expanded by a shell; shell text goes to run_shell. A result that is not ready within sync_wait_secs (10 s) becomes a Job that is the same process: observe it, never start it again.',
      direct_rank: 70,
      recorded_inputs: [
        'project',
        'cwd',
        'purpose',
        'assertion_name',
        'timeout_secs',
        'sync_wait_secs',
        'result_expectation',
        'accepted_exit_codes',
      ],
      cli: { program: { executable: 'executable', args: 'args' } },
      input,
    },
    (given, call) => {
      const refusal = refuseShellCommand(given);
      if (refusal !== null) return notStarted({ source }, refusal);
      return runProgram(deps, call, given, {
        source,
        mode: 'foreground',
        takesResource: false,
        commandText: shellCommandLine([given.executable, ...given.args]),
        program: () => ({ kind: 'process', executable: given.executable, args: given.args }),
      });
    },
  );
}

function refuseShellCommand(given: RunProcessInput): Failure | null {
  const equivalent = shellCommandMode(given.executable, given.args);
  if (equivalent === null) return null;
  const { executable: _program, args: _args, accepted_exit_codes: codes, ...rest } = given;
  const call = { ...rest, ...equivalent, ...(codes === undefined ? {} : { result_expectation: 'observe' }) };
  const suggested: SuggestedCall = {
    follow_up_kind: 'fallback_recovery',
    tool: 'run_shell',
    arguments: Object.fromEntries(Object.entries(call).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  };
  const fits = equivalent.command.trim() !== '' && Buffer.byteLength(equivalent.command) <= MAX_COMMAND_BYTES;
  return failure('invalid_arguments', 'run_process runs literal arguments and no shell text; use run_shell for that.', {
    failure_kind: 'invalid_arguments',
    state_changed: false,
    ...(fits ? { suggested_call: suggested } : {}),
  });
}
