import { Flags } from '../framework/oclif.js';
import { EXIT, readPlainAnswer } from '../../client/index.js';
import { FileTarget } from '../framework/file-target.js';
import { OperatorRefusal } from '../framework/operator-request.js';
import { UsageError } from '../framework/usage-error.js';
import { WcCommand } from '../framework/wc-command.js';
import { writeThrough } from '../framework/write-through.js';

/** A textfile collector runs as another user. */
const READABLE_BY_ALL = 0o644;

/** `wc audit metrics`: the numbers of the daemon in Prometheus's text format. */
export default class AuditMetricsCommand extends WcCommand {
  static override summary = 'Print the daemon\'s metrics for Prometheus, or replace a textfile with them.';
  static override description =
    'The same text as GET /api/metrics on the socket. With --textfile the file is replaced in one step and readable by all, as the textfile collector of node_exporter wants it; its name must end in .prom for that.';
  static override flags = {
    textfile: Flags.string({ summary: 'The file, replaced whole or not at all.', helpValue: 'FILE' }),
  };

  async run(): Promise<number> {
    const { flags } = await this.parse(AuditMetricsCommand);
    if (flags.json && flags.textfile === undefined) {
      throw new UsageError('--json tells of the file that was written, and there is none.', 'Name one with --textfile.');
    }
    const text = await this.metrics();
    if (flags.textfile === undefined) {
      await writeThrough(process.stdout, text);
      return EXIT.success;
    }
    const target = await FileTarget.open(flags.textfile, READABLE_BY_ALL);
    try {
      await target.write(text);
      await target.publish();
    } catch (error) {
      await target.discard();
      throw error;
    }
    if (flags.json) this.print(JSON.stringify({ file: target.path, bytes: text.length }));
    return EXIT.success;
  }

  private async metrics(): Promise<Buffer> {
    const client = await this.client();
    return client.transfer('/api/metrics', null, async (answer) => {
      if (answer.statusCode !== 200) {
        const { status, body } = await readPlainAnswer(answer);
        throw new OperatorRefusal(status, body);
      }
      const chunks: Buffer[] = [];
      for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
      return Buffer.concat(chunks);
    });
  }
}
