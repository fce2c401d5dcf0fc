import { shellCommandLine } from './shell-words.js';

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh', 'fish', 'rbash', 'csh', 'tcsh']);
/** Options of these shells that take the next argument as their value. */
const VALUED = /^(?:[-+][A-Za-z]*[oO]|--rcfile|--init-file|--features|--debug-level)$/;

/** A command line for `run_shell` that does what the argv would have done. */
export interface ShellEquivalent {
  readonly command: string;
  readonly shell?: 'sh' | 'bash';
}

/**
 * Whether an argv runs command text through a shell (`sh -c`, `bash -lc`, `env A=b sh
 * -c`, `busybox sh -c`), and what to give to `run_shell` instead; null when it does not.
 * Literal argv and shell text are two tools, so that neither is ever mistaken for the
 * other (spec 03 §4).
 */
export function shellCommandMode(executable: string, args: readonly string[]): ShellEquivalent | null {
  const argv = withoutWrapper([executable, ...args]);
  const [program = '', ...rest] = argv;
  const shell = baseName(program);
  if (!SHELLS.has(shell)) return null;
  const text = commandText(rest);
  if (text === null) return null;
  const literal = rest.length === 2 && rest[0] === '-c' && argv.length === args.length + 1;
  if (literal && (shell === 'sh' || shell === 'bash')) return { command: text, shell };
  return { command: shellCommandLine([executable, ...args]) };
}

/** The argv behind `env`, its options and assignments, and behind `busybox`. */
function withoutWrapper(argv: readonly string[]): readonly string[] {
  const [program = '', ...rest] = argv;
  switch (baseName(program)) {
    case 'busybox':
      return rest;
    case 'env': {
      const start = rest.findIndex((arg) => !arg.startsWith('-') && !arg.includes('='));
      return start === -1 ? [] : rest.slice(start);
    }
    default:
      return argv;
  }
}

/** The command text of a shell's arguments, or null when they hold no `c` flag. */
function commandText(args: readonly string[]): string | null {
  let commandMode = false;
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '--' || arg === '-' || !/^[-+]/.test(arg)) {
      return commandMode ? (args[arg === '--' || arg === '-' ? index + 1 : index] ?? '') : null;
    }
    if (arg === '--command' || (/^-[A-Za-z]+$/.test(arg) && arg.includes('c'))) commandMode = true;
    if (VALUED.test(arg)) index += 1;
  }
  return commandMode ? '' : null;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
