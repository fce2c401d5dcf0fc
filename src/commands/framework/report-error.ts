import { ClientError, EXIT } from '../../client/index.js';
import { CommandFailure } from './command-failure.js';

/**
 * Says on standard error, in one line, why a command ended without an answer, and what
 * to do; returns the exit code. Where an exit code would be taken for the program's own
 * (`endsWithProgram`), whatever `wc` itself failed at is 125.
 */
export function reportError(error: unknown, endsWithProgram: boolean): number {
  if (error instanceof CommandFailure) {
    say(error.message, error.hint);
    return error.exitCode;
  }
  if (error instanceof ClientError) {
    say(error.message, error.hint);
    return endsWithProgram ? EXIT.ownFailure : error.exitCode;
  }
  // A mistake of ours: the trace is what a report needs.
  process.stderr.write(`wc: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return endsWithProgram ? EXIT.ownFailure : EXIT.refused;
}

function say(message: string, hint: string | undefined): void {
  process.stderr.write(`wc: ${message}${hint === undefined || hint === '' ? '' : ` ${hint}`}\n`);
}
