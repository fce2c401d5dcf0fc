import { EXIT } from '../../client/index.js';
import { renderLedgerStats } from '../../client/render/index.js';
import type { StatsReport } from '../../protocol/ledger.js';
import { operatorRequest } from '../framework/operator-request.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc ledger stats`: how large it is, what is in it, and what bounds it. */
export default class LedgerStatsCommand extends WcCommand {
  static override summary = 'Show the size of the ledger, its counts and its limits.';

  async run(): Promise<number> {
    const { flags } = await this.parse(LedgerStatsCommand);
    const report = await operatorRequest<StatsReport>(await this.client(), '/api/ledger/stats', {});
    this.print(flags.json ? JSON.stringify(report) : renderLedgerStats(report, this.outStyle));
    return EXIT.success;
  }
}
