import { Args } from './oclif.js';
import { UsageError } from './usage-error.js';
import { recordFlag, selectorFlags, WcCommand } from './wc-command.js';

/** The word that names a Session where nothing else is to be said. */
export const sessionWord = { session: Args.string({ description: 'The Session (wc_sess_… or ~sN); else --session or WC_SESSION.' }) };

/** What the commands about a Session's board share. */
export abstract class SessionMessageCommand extends WcCommand {
  static override flags = { session: selectorFlags.session, ...recordFlag };

  /** The Session that was chosen on the line or in the environment. Throws UsageError. */
  protected sessionOf(chosen: string | undefined): string {
    const session = chosen ?? this.variables.session;
    if (session === undefined) throw new UsageError('--session (or WC_SESSION) is missing.', "'wc session list' shows yours.");
    return session;
  }
}
