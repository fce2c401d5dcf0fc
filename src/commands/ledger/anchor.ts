import { EXIT } from '../../client/index.js';
import { counted } from '../../client/render/index.js';
import type { AnchorReport } from '../../protocol/ledger.js';
import { operatorRequest } from '../framework/operator-request.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc ledger anchor`: one line to keep elsewhere, for example as a Git note. */
export default class LedgerAnchorCommand extends WcCommand {
  static override summary = 'Print one line to keep elsewhere, which later proves what the ledger held now.';

  async run(): Promise<number> {
    const { flags } = await this.parse(LedgerAnchorCommand);
    const report = await operatorRequest<AnchorReport>(await this.client(), '/api/ledger/anchor', {});
    this.print(flags.json ? JSON.stringify(report) : report.line);
    if (!flags.json) {
      this.note(`It anchors ${counted(report.sessions, 'Session')}. Keep it where the ledger is not; wc ledger verify --anchor LINE proves it.`);
    }
    return EXIT.success;
  }
}
