import { constants } from 'node:os';
import { EXIT } from '../../client/index.js';
import { CommandFailure } from './command-failure.js';
import { reportError } from './report-error.js';

/** Why a stream takes nothing more: its reader has seen enough, or it can not be written (a full disk). */
type LostOutput = 'SIGPIPE' | CommandFailure;

/** Calls `then` instead of failing when standard output or standard error takes nothing more. */
export function onLostOutput(then: (lost: LostOutput) => void): void {
  for (const [stream, name] of [[process.stdout, 'output'], [process.stderr, 'error']] as const) {
    stream.removeAllListeners('error');
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      then(code === 'EPIPE' ? 'SIGPIPE' : new CommandFailure(`Standard ${name} can not be written (${code ?? message}).`, EXIT.ownFailure));
    });
  }
}

/**
 * Ends this process when it can not say anything more: quietly and as by SIGPIPE when its
 * reader has left (`wc … | head`), else in one line.
 */
export function endOnLostOutput({ endsWithProgram }: { readonly endsWithProgram: boolean }): void {
  onLostOutput((lost) => {
    if (lost === 'SIGPIPE') process.exit(EXIT.signalBase + constants.signals.SIGPIPE);
    const code = reportError(lost, endsWithProgram);
    process.exit(endsWithProgram ? code : EXIT.refused);
  });
}
