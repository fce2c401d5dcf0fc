import { Args, Flags } from '../framework/oclif.js';
import { EXIT } from '../../client/index.js';
import type { AuditEvent, AuditSession } from '../../client/render/index.js';
import { renderAuditSession } from '../../client/render/index.js';
import { operatorRequest } from '../framework/operator-request.js';
import { readMoment } from '../framework/read-duration.js';
import { definedOnly, WcCommand } from '../framework/wc-command.js';

/** `wc audit session ID`: one audit session and its calls, the newest first. */
export default class AuditSessionCommand extends WcCommand {
  static override summary = 'Show one audit session and its calls.';
  static override args = { id: Args.string({ description: 'The id that `wc audit sessions` shows.', required: true }) };
  static override flags = {
    limit: Flags.integer({ summary: 'At most so many calls, up to 200.', min: 1, default: 50 }),
    tool: Flags.string({ summary: 'Only calls of this tool.', helpValue: 'NAME' }),
    failed: Flags.boolean({ summary: 'Only calls that did not succeed.' }),
    since: Flags.string({ summary: 'Only calls since: 15m, 2h, 7d, or a time with its zone.', helpValue: 'WHEN' }),
  };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(AuditSessionCommand);
    const since = flags.since === undefined ? undefined : Math.floor(readMoment('since', flags.since, Date.now()) / 1_000);
    const client = await this.client();
    const { session } = await operatorRequest<{ readonly session: AuditSession }>(client, '/api/audit/session', {
      session_id: args.id,
      events_limit: 1,
    });
    const { events } = await operatorRequest<{ readonly events: readonly AuditEvent[] }>(
      client,
      '/api/audit/query',
      definedOnly({ kind: 'events', session_id: args.id, tool: flags.tool, failed: flags.failed, since, limit: flags.limit }),
    );
    this.print(flags.json ? JSON.stringify({ session, events }) : renderAuditSession(session, events, this.outStyle, this.outWidth));
    return EXIT.success;
  }
}
