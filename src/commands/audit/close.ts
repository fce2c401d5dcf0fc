import { Args, Flags } from '../framework/oclif.js';
import { EXIT } from '../../client/index.js';
import type { AuditSession } from '../../client/render/index.js';
import { renderClosedSession } from '../../client/render/index.js';
import { operatorRequest } from '../framework/operator-request.js';
import { definedOnly, WcCommand } from '../framework/wc-command.js';

/** `wc audit close ID`: no call is filed under it any more; a second close changes nothing. */
export default class AuditCloseCommand extends WcCommand {
  static override summary = 'Close an audit session for good; nothing else ever closes one.';
  static override args = { id: Args.string({ description: 'The id that `wc audit sessions` shows.', required: true }) };
  static override flags = { note: Flags.string({ summary: 'Why, up to 500 characters.', helpValue: 'TEXT' }) };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(AuditCloseCommand);
    const closed = await operatorRequest<{ readonly session: AuditSession; readonly already_closed: boolean }>(
      await this.client(),
      '/api/audit/close',
      definedOnly({ session_id: args.id, note: flags.note }),
    );
    this.print(flags.json ? JSON.stringify(closed) : renderClosedSession(closed.session, closed.already_closed, this.outStyle));
    return EXIT.success;
  }
}
