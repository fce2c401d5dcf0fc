import type { Refusal } from '../../protocol/runner/project-root.js';
import { refuse } from '../request.js';

/** What is known of a program that could not be started. */
export interface FailedSpawn {
  readonly code: string;
  readonly executable: string;
  readonly searchedPath: string;
}

/** The refusal for a program that the system would not start; it says what to look at (decision 30). */
export function spawnRefusal({ code, executable, searchedPath }: FailedSpawn): Refusal {
  const name = JSON.stringify(executable);
  const isLookedUp = !executable.includes('/');
  return refuse('spawn_failed', sentence(code, name, isLookedUp), {
    execution_state: 'not_started',
    command_started: false,
    state_changed: false,
    failure_kind: 'spawn_failed',
    spawn_error: code,
    ...(isLookedUp ? { searched_path: searchedPath, hint: `The PATH that was searched: ${searchedPath}` } : {}),
  });
}

function sentence(code: string, name: string, isLookedUp: boolean): string {
  switch (code) {
    case 'ENOENT':
      return isLookedUp
        ? `The program ${name} was not found on the PATH; install it, or give its whole path.`
        : `The program ${name}, or the interpreter that its first line names, does not exist; check the path.`;
    case 'EACCES':
      return `The program ${name} may not be executed; check its permissions.`;
    case 'ENOEXEC':
      return `The file ${name} is no program; it may lack a first line that names its interpreter.`;
    case 'E2BIG':
      return 'The arguments and the environment are too large together; pass less of them.';
    case 'EAGAIN':
    case 'ENOMEM':
    case 'EMFILE':
    case 'ENFILE':
      return `The machine has no room for another process (${code}); end something and try again.`;
    default:
      return `The program ${name} could not be started (${code}).`;
  }
}
