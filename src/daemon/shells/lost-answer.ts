import { shellStatusMethod } from '../../protocol/runner/shells.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import type { RunnerPort } from '../runner-link/index.js';
import type { ShellPlace } from './bound-request.js';

/**
 * What is said when the Runner's answer to a command was lost: the command was written to
 * its shell, or may have been. Whether the shell lives is asked once more; a Runner that
 * died has taken it along.
 */
export async function lostAnswer(runner: RunnerPort, binding: ShellPlace & { readonly shell_id: string }): Promise<Failure> {
  const looked = await runner.call(shellStatusMethod, { ...binding, wait_ms: 0 });
  const shell = 'answer' in looked ? looked.answer.shell : null;
  const lives = shell !== null && (shell.state === 'running' || shell.state === 'opening');
  return failure(
    lives ? 'outcome_unknown' : 'shell_reset_required',
    lives
      ? 'The answer about the command was lost while its shell lives; see its end with get_session_shell_status.'
      : 'The Runner ended while the command ran, and the shell with it; look at the state before you try again, and open another one.',
    {
      shell_id: binding.shell_id,
      shell_state: shell?.state ?? 'lost',
      close_reason: shell?.close_reason ?? null,
      execution_state: 'lost',
      command_started: true,
      command_completed: false,
      command_ok: false,
      failure_kind: 'outcome_unknown',
      tool_failure: true,
      terminal: !lives,
      state_changed: null,
    },
  );
}
