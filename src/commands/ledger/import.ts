import { EXIT, readPlainAnswer } from '../../client/index.js';
import { renderImport } from '../../client/render/index.js';
import { CHAIN_SEPARATOR, type ImportReport } from '../../protocol/ledger.js';
import { Args, Flags } from '../framework/oclif.js';
import { joined, openUpload } from '../framework/open-upload.js';
import { OperatorRefusal } from '../framework/operator-request.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc ledger import FILE|-`: into an empty ledger, all of the document or nothing. */
export default class LedgerImportCommand extends WcCommand {
  static override summary = 'Restore a ledger document into an empty ledger.';
  static override args = { file: Args.string({ description: 'The document, or - for standard input.', required: true }) };
  static override flags = {
    chain: Flags.string({ summary: 'The chain that was exported beside it: refuse the document unless its events are those.', helpValue: 'FILE' }),
  };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(LedgerImportCommand);
    const document = await openUpload(args.file);
    try {
      const chain = flags.chain === undefined ? null : await openUpload(flags.chain);
      try {
        const report = await this.send(joined(document, CHAIN_SEPARATOR, chain));
        this.print(flags.json ? JSON.stringify(report) : renderImport(report, this.outStyle));
        return EXIT.success;
      } finally {
        await chain?.close();
      }
    } finally {
      await document.close();
    }
  }

  private async send(upload: ReturnType<typeof joined>): Promise<ImportReport> {
    const client = await this.client();
    const { status, body } = await client.transfer('/api/ledger/import', upload, readPlainAnswer);
    if (status !== 200) throw new OperatorRefusal(status, body);
    return body as ImportReport;
  }
}
