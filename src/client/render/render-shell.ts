import type { JsonObject } from '../../protocol/tool-result.js';
import { printable } from './printable.js';
import type { Style } from './style.js';
import { factLines } from './text-table.js';
import { counted, duration, utcTime } from './units.js';

/** A command in a shell, as far as people read it. */
interface CommandFacts {
  readonly execution_state: string;
  readonly exit_code: number | null;
  readonly duration_ms: number;
  readonly stdout_tail: string;
  readonly stderr_tail: string;
}

interface ShellFacts {
  readonly shell_id: string;
  readonly shell_state: string;
  readonly close_reason: string | null;
  readonly busy: boolean;
  readonly session_id: string;
  readonly shell: string;
  readonly cwd: string;
  readonly opened_at_ms: number;
  readonly ended_at_ms: number | null;
  readonly commands: number;
  readonly last_command: CommandFacts | null;
}

/** `get_session_shell_status`, for people. */
export function renderShell(output: JsonObject, style: Style): string {
  const shell = output as unknown as ShellFacts;
  const { last_command: last } = shell;
  const facts = factLines(
    [
      ['shell', shell.shell_id],
      ['state', `${shell.shell_state}${shell.close_reason === null ? '' : ` (${shell.close_reason.replaceAll('_', ' ')})`}${shell.busy ? ', busy' : ''}`],
      ['program', shell.shell],
      ['folder', shell.cwd],
      ['session', shell.session_id],
      ['opened', utcTime(shell.opened_at_ms)],
      ['ended', shell.ended_at_ms === null ? null : utcTime(shell.ended_at_ms)],
      ['commands', counted(shell.commands, 'command')],
      ['last command', last === null ? null : commandState(last)],
    ],
    style,
  );
  const printed = last === null ? [] : [last.stdout_tail, last.stderr_tail].filter((text) => text !== '');
  return [facts, ...printed.map((text) => printable(text))].join('\n');
}

function commandState({ execution_state: state, exit_code: code, duration_ms: took }: CommandFacts): string {
  return `${state.replaceAll('_', ' ')}${code === null || code === 0 ? '' : ` (exit ${code})`}, ${duration(took)}`;
}
