import type { Refusal } from '../../protocol/runner/project-root.js';
import type { ShellView } from '../../protocol/runner/shells.js';
import { notStarted } from '../jobs/not-started.js';

/** Another Session's shell, another project's, one of another Runner, and one that never was, all alike. */
export function notFound(): Refusal {
  return notStarted('persistent_shell_not_found', 'invalid_arguments', 'This Session and project have no such shell; open one with open_session_shell.');
}

/** A shell that was closed before the command: nothing was written to it. */
export function resetRequired(shell: ShellView): Refusal {
  return notStarted('shell_reset_required', 'runtime_error', `The shell was closed (${String(shell.close_reason)}) and the command was not written to it; open another one.`, facts(shell));
}

/** A shell that is over takes no more commands. */
export function stale(shell: ShellView): Refusal {
  return notStarted('persistent_shell_stale', 'invalid_arguments', `That shell is ${shell.state} and takes no more commands; open another one.`, facts(shell));
}

/** One command at a time. */
export function busy(shell: ShellView): Refusal {
  return notStarted('shell_busy', 'runtime_error', 'A command runs in this shell; wait for its end with get_session_shell_status.', facts(shell));
}

export function facts({ shell_id, state, close_reason: reason }: ShellView): { shell_id: string; shell_state: string; close_reason: string | null } {
  return { shell_id, shell_state: state, close_reason: reason };
}
