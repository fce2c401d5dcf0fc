import { z } from 'zod';
import type { ExecutionState, Purpose } from '../../protocol/execution-state.js';
import { FAILURE_KINDS, PURPOSES } from '../../protocol/execution-state.js';
import { SHELL_COMMAND_STATES, SHELL_ERROR_CODES, type ShellCommandReport, type ShellCommandState, type ShellView } from '../../protocol/runner/shells.js';
import { failure, success, type JsonObject, type ToolResult } from '../../protocol/tool-result.js';
import { errorKindOf, streamFacts } from '../execution/index.js';
import { shellFacts, shellFactsSchema } from './shell-facts.js';

/** What is said of a command in a shell. */
export const commandFactsSchema = z.looseObject({
  execution_state: z.enum(SHELL_COMMAND_STATES),
  /** What there is to say beyond the exit code. */
  error_code: z.enum(SHELL_ERROR_CODES).nullable(),
  command_started: z.boolean(),
  command_completed: z.boolean(),
  /** Null while it is not over. */
  command_ok: z.boolean().nullable(),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  stdout_tail: z.string(),
  stderr_tail: z.string(),
  stdout_lines: z.int(),
  stderr_lines: z.int(),
  stdout_bytes: z.int(),
  stderr_bytes: z.int(),
  stdout_truncated: z.boolean(),
  stderr_truncated: z.boolean(),
  duration_ms: z.int(),
  failure_kind: z.enum(FAILURE_KINDS).nullable(),
  tool_failure: z.boolean(),
  terminal: z.boolean(),
});

/** A command's result: the command, and its shell after it. */
export const commandResultSchema = commandFactsSchema.extend({
  ...shellFactsSchema.shape,
  execution_source: z.literal('execute_session_shell'),
  purpose: z.enum(PURPOSES),
  effective_timeout_secs: z.int(),
});

/** The state of an execution that a command's own state means to everybody else. */
export const EXECUTION_STATE_OF: Readonly<Record<ShellCommandState, ExecutionState>> = {
  running: 'running',
  completed: 'completed',
  timed_out: 'timed_out',
  cancelled: 'cancelled',
  interrupted: 'cancelled',
  lost: 'outcome_unknown',
};

/** Whether the command ended well and left no damage: an `exit 0` has done what it was to do. */
export function isSuccess({ error_code: error, failure_kind: kind }: ShellCommandReport): boolean {
  return kind === null && (error === null || error === 'shell_exited');
}

export function commandFacts(command: ShellCommandReport): JsonObject {
  const { execution_state: state, failure_kind: kind } = command;
  return {
    execution_state: state,
    error_code: command.error_code,
    command_started: true,
    command_completed: state === 'completed',
    command_ok: state === 'running' ? null : kind === null,
    exit_code: command.exit_code,
    signal: command.signal,
    ...streamFacts('stdout', command.stdout),
    ...streamFacts('stderr', command.stderr),
    duration_ms: command.duration_ms,
    failure_kind: kind,
    tool_failure: state === 'lost' || state === 'interrupted',
    terminal: state !== 'running',
    ...(command.descendants_ended === 0 ? {} : { descendants_ended: command.descendants_ended }),
  };
}

/** How a command was asked for. */
export interface CommandPlan {
  readonly purpose: Purpose;
  readonly timeoutSecs: number;
}

/** The ToolResult of a command that is over, or that goes on behind its answer. */
export function commandResult(plan: CommandPlan, shell: ShellView, command: ShellCommandReport): ToolResult {
  const output = {
    ...shellFacts(shell),
    ...commandFacts(command),
    execution_source: 'execute_session_shell',
    purpose: plan.purpose,
    effective_timeout_secs: plan.timeoutSecs,
    ...(command.execution_state === 'running' ? { continuation: continuation(shell) } : {}),
  };
  if (isSuccess(command)) return success(output);
  const { failure_kind: kind } = command;
  return failure(command.error_code ?? errorKindOf(kind ?? 'runtime_error'), sentence(plan, shell, command), {
    ...output,
    state_changed: null,
    ...(kind === null ? {} : { failure_kind: kind }),
  });
}

/** How a caller sees the end of a command that its answer was too early for. */
function continuation(shell: ShellView): JsonObject {
  return {
    tool: 'get_session_shell_status',
    arguments: { project: shell.project, session_id: shell.session_id, shell_id: shell.shell_id, wait_secs: 40 },
  };
}

function sentence(plan: CommandPlan, shell: ShellView, command: ShellCommandReport): string {
  const reopen = `the shell is over (${shell.close_reason ?? shell.state}); open another one`;
  switch (command.execution_state) {
    case 'completed':
      if (command.error_code === 'shell_exited') return `The command ended its shell ${howEnded(command)}; open another one.`;
      if (command.error_code === 'shell_reset_required') return `The command ended ${howEnded(command)}, and ${reopen}.`;
      return `The command ended ${howEnded(command)}.`;
    case 'timed_out':
      return command.error_code === 'command_timeout'
        ? `The command was interrupted after ${plan.timeoutSecs} s, its time-out; the shell goes on, and the command may have done part of its work.`
        : `The command did not end within ${plan.timeoutSecs} s, its time-out; it may have done part of its work, and ${reopen}.`;
    case 'cancelled':
      return command.error_code === 'cancelled'
        ? 'The command was cancelled; the shell goes on, and the command may have done part of its work.'
        : `The command was cancelled; it may have done part of its work, and ${reopen}.`;
    case 'interrupted':
      return `The command was ended with its shell; it may have done part of its work, and ${reopen}.`;
    case 'lost':
      return `The command was started and its end could not be proven; look at the state before you try again: ${reopen}.`;
    case 'running':
      return 'The command goes on in its shell.';
  }
}

function howEnded({ exit_code: code, signal }: ShellCommandReport): string {
  return signal === null ? `with exit code ${code ?? 'unknown'}` : `by ${signal}`;
}
