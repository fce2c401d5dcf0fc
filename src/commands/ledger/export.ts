import { ExportCommand } from '../framework/export-command.js';
import { Args, Flags } from '../framework/oclif.js';
import { UsageError } from '../framework/usage-error.js';

/** `wc ledger export [FILE]`: the whole ledger as one document, as it is at one moment. */
export default class LedgerExportCommand extends ExportCommand {
  static override summary = 'Write the ledger as one JSON document, to a file or to standard output.';
  static override args = { file: Args.string({ description: 'The file, written whole or not at all; without one, standard output.' }) };
  static override flags = {
    'with-chain': Flags.boolean({ summary: 'Write FILE.chain beside it, with which an import proves that no event was changed.' }),
  };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(LedgerExportCommand);
    const withChain = flags['with-chain'];
    if (withChain && (args.file === undefined || args.file === '-')) {
      throw new UsageError('--with-chain writes FILE.chain beside FILE, and standard output has no place beside it.', 'Name a file.');
    }
    return this.export({ body: {}, file: args.file, withChain, json: flags.json });
  }
}
