import { ExportCommand } from '../framework/export-command.js';
import { Args } from '../framework/oclif.js';

/** `wc session export SESSION [FILE]`: one Session in the ledger's format. */
export default class SessionExportCommand extends ExportCommand {
  static override summary = 'Write one Session as a ledger document, to a file or to standard output.';
  static override args = {
    session: Args.string({ description: 'The Session (wc_sess_… or ~sN).', required: true }),
    file: Args.string({ description: 'The file, written whole or not at all; without one, standard output.' }),
  };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(SessionExportCommand);
    return this.export({ body: { session_id: args.session }, file: args.file, withChain: false, json: flags.json });
  }
}
