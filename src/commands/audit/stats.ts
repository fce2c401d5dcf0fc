import { Flags } from '../framework/oclif.js';
import { EXIT } from '../../client/index.js';
import type { AuditStatistics } from '../../client/render/index.js';
import { renderAuditStatistics } from '../../client/render/index.js';
import { operatorRequest } from '../framework/operator-request.js';
import { readMoment } from '../framework/read-duration.js';
import { definedOnly, WcCommand } from '../framework/wc-command.js';

/** `wc audit stats`: exact over every call that matches, started in [since, until). */
export default class AuditStatsCommand extends WcCommand {
  static override summary = 'Calls, outcomes, durations and sizes by tool.';
  static override flags = {
    session: Flags.string({ summary: 'Only this audit session (not a Workflow Session).', helpValue: 'ID' }),
    tool: Flags.string({ summary: 'Only this tool.', helpValue: 'NAME' }),
    since: Flags.string({ summary: 'Calls that started at or after this: 15m, 2h, 7d, or a time with its zone.', helpValue: 'WHEN' }),
    until: Flags.string({ summary: 'Calls that started before this.', helpValue: 'WHEN' }),
    limit: Flags.integer({ summary: 'Only the audit sessions that were used last, so many, up to 50.', min: 1, exclusive: ['session'] }),
  };

  async run(): Promise<number> {
    const { flags } = await this.parse(AuditStatsCommand);
    const now = Date.now();
    const seconds = (flag: 'since' | 'until'): number | undefined => {
      const text = flags[flag];
      return text === undefined ? undefined : Math.floor(readMoment(flag, text, now) / 1_000);
    };
    const statistics = await operatorRequest<AuditStatistics>(
      await this.client(),
      '/api/audit/query',
      definedOnly({ kind: 'tools', session_id: flags.session, tool: flags.tool, since: seconds('since'), until: seconds('until'), last_sessions: flags.limit }),
    );
    this.print(flags.json ? JSON.stringify(statistics) : renderAuditStatistics(statistics, this.outStyle, this.outWidth));
    return EXIT.success;
  }
}
