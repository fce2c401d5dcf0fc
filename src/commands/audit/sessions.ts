import { Flags } from '../framework/oclif.js';
import { EXIT } from '../../client/index.js';
import type { AuditSession } from '../../client/render/index.js';
import { renderAuditSessions } from '../../client/render/index.js';
import { operatorRequest } from '../framework/operator-request.js';
import { readMoment } from '../framework/read-duration.js';
import { definedOnly, WcCommand } from '../framework/wc-command.js';

/** `wc audit sessions`: the last used first. */
export default class AuditSessionsCommand extends WcCommand {
  static override summary = 'List the audit sessions that calls were filed under.';
  static override flags = {
    status: Flags.string({ summary: 'Only open or closed ones.', options: ['open', 'closed'] }),
    limit: Flags.integer({ summary: 'At most so many, up to 200.', min: 1, default: 50 }),
    since: Flags.string({ summary: 'Last used at or after this: 15m, 2h, 7d, or a time with its zone.', helpValue: 'WHEN' }),
  };

  async run(): Promise<number> {
    const { flags } = await this.parse(AuditSessionsCommand);
    const since = flags.since === undefined ? undefined : Math.floor(readMoment('since', flags.since, Date.now()) / 1_000);
    const answer = await operatorRequest<{ readonly sessions: readonly AuditSession[] }>(
      await this.client(),
      '/api/audit/query',
      definedOnly({ kind: 'sessions', status: flags.status, limit: flags.limit, since }),
    );
    this.print(flags.json ? JSON.stringify(answer) : renderAuditSessions(answer.sessions, this.outStyle, this.outWidth));
    return EXIT.success;
  }
}
