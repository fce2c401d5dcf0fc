import type { StreamReport } from '../../protocol/runner/jobs.js';
import type { ShellCommandReport } from '../../protocol/runner/shells.js';
import type { ProcessExit } from '../process/spawn-child.js';

/** Who ended a command before it ended by itself. */
export type Interruption = 'timeout' | 'cancel';

/** How a command came to its end. */
export type CommandEnd =
  /** Its frame came: the shell is in step, and has its status. */
  | { readonly by: 'frame'; readonly status: number; readonly interruption: Interruption | null; readonly shellIsOpen: boolean }
  /** The shell came to its end first. */
  | {
      readonly by: 'shell_end';
      readonly state: 'exited' | 'closed' | 'poisoned' | 'lost';
      /** Null when it had to be ended. */
      readonly exit: ProcessExit | null;
      readonly interruption: Interruption | null;
    };

export interface CommandFacts {
  readonly stdout: StreamReport;
  readonly stderr: StreamReport;
  readonly startedAtMs: number;
  readonly finishedAtMs: number | null;
  readonly durationMs: number;
  readonly descendantsEnded: number;
}

type Verdict = Pick<ShellCommandReport, 'execution_state' | 'error_code' | 'failure_kind' | 'exit_code' | 'signal'>;

/** What a command came to, in the closed vocabularies of spec 03 §10; null is one that runs. */
export function commandReport(end: CommandEnd | null, facts: CommandFacts): ShellCommandReport {
  return {
    ...(end === null ? RUNNING : end.by === 'frame' ? framed(end) : shellEnded(end)),
    started_at_ms: facts.startedAtMs,
    finished_at_ms: facts.finishedAtMs,
    duration_ms: facts.durationMs,
    stdout: facts.stdout,
    stderr: facts.stderr,
    descendants_ended: facts.descendantsEnded,
  };
}

const RUNNING: Verdict = { execution_state: 'running', error_code: null, failure_kind: null, exit_code: null, signal: null };

const INTERRUPTED = {
  timeout: { execution_state: 'timed_out', error_code: 'command_timeout', failure_kind: 'timeout' },
  cancel: { execution_state: 'cancelled', error_code: 'cancelled', failure_kind: 'cancelled' },
} as const satisfies Record<Interruption, Pick<Verdict, 'execution_state' | 'error_code' | 'failure_kind'>>;

function framed({ status, interruption, shellIsOpen }: Extract<CommandEnd, { by: 'frame' }>): Verdict {
  const reset = shellIsOpen ? {} : { error_code: 'shell_reset_required' as const };
  if (interruption !== null) return { ...INTERRUPTED[interruption], ...reset, exit_code: status, signal: null };
  return {
    execution_state: 'completed',
    error_code: null,
    failure_kind: status === 0 ? null : 'command_exit_nonzero',
    exit_code: status,
    signal: null,
    ...reset,
  };
}

function shellEnded({ state, exit, interruption }: Extract<CommandEnd, { by: 'shell_end' }>): Verdict {
  const error = { error_code: 'shell_reset_required' as const };
  const exitFacts = { exit_code: exit === null ? null : (exit.code ?? -1), signal: exit?.signal ?? null };
  if (interruption !== null) return { ...INTERRUPTED[interruption], ...error, ...exitFacts };
  switch (state) {
    case 'exited':
      return {
        execution_state: 'completed',
        error_code: 'shell_exited',
        failure_kind: exitFacts.exit_code === 0 ? null : 'command_exit_nonzero',
        ...exitFacts,
      };
    case 'closed':
      return { execution_state: 'interrupted', ...error, failure_kind: 'cancelled', exit_code: null, signal: null };
    case 'poisoned':
    case 'lost':
      return { execution_state: 'lost', ...error, failure_kind: 'outcome_unknown', exit_code: null, signal: null };
  }
}
