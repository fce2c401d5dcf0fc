import { EXIT, readPlainAnswer } from '../../client/index.js';
import { renderVerification } from '../../client/render/index.js';
import type { VerificationReport } from '../../protocol/ledger.js';
import { Flags } from '../framework/oclif.js';
import { OperatorRefusal } from '../framework/operator-request.js';
import { definedOnly, WcCommand } from '../framework/wc-command.js';

/** `wc ledger verify`: 0 when every row and every chain is sound, 1 when something was found. */
export default class LedgerVerifyCommand extends WcCommand {
  static override summary = 'Check every row of the ledger and every event against its chain.';
  static override flags = {
    anchor: Flags.string({ summary: 'Also prove that the ledger still holds what this line of `wc ledger anchor` says.', helpValue: 'LINE' }),
  };

  async run(): Promise<number> {
    const { flags } = await this.parse(LedgerVerifyCommand);
    const client = await this.client();
    const { status, body } = await client.transfer('/api/ledger/verify', definedOnly({ anchor: flags.anchor }), readPlainAnswer);
    if (status !== 200) throw new OperatorRefusal(status, body);
    const report = body as VerificationReport;
    this.print(flags.json ? JSON.stringify(report) : renderVerification(report, this.outStyle));
    return report.sound ? EXIT.success : EXIT.refused;
  }
}
