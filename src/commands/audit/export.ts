import type { IncomingMessage } from 'node:http';
import { Flags } from '../framework/oclif.js';
import { ClientError, EXIT, readPlainAnswer } from '../../client/index.js';
import { counted } from '../../client/render/index.js';
import { AUDIT_EXPORT_TRAILER } from '../../protocol/audit.js';
import { CSV_HEAD, csvLine } from '../framework/event-csv.js';
import { linesOf } from '../framework/event-lines.js';
import { FileTarget } from '../framework/file-target.js';
import { OperatorRefusal } from '../framework/operator-request.js';
import { readMoment } from '../framework/read-duration.js';
import { UsageError } from '../framework/usage-error.js';
import { definedOnly, WcCommand } from '../framework/wc-command.js';
import { writeThrough } from '../framework/write-through.js';

type Format = 'ndjson' | 'csv';
type Write = (bytes: Buffer) => Promise<void>;

/** Lines are gathered to pieces of about this size, in characters. */
const PIECE_CHARACTERS = 64 * 1024;

/** `wc audit export`: the calls of a span of time, whole or not at all where it is a file. */
export default class AuditExportCommand extends WcCommand {
  static override summary = 'Write calls to a file or to standard output, as NDJSON or CSV.';
  static override description =
    'The oldest call comes first. What is written is what wc audit session shows: no argument, no output, and nothing of who called. A file is private (0600) and appears whole or not at all.';
  static override flags = {
    since: Flags.string({ summary: 'Calls that started at or after this: 15m, 2h, 7d, or a time with its zone.', helpValue: 'WHEN', required: true }),
    until: Flags.string({ summary: 'Calls that started before this; without it, all there are.', helpValue: 'WHEN' }),
    format: Flags.string({ summary: 'One JSON document a line, or a table.', options: ['ndjson', 'csv'], default: 'ndjson' }),
    output: Flags.string({ char: 'o', summary: 'The file; without one, standard output.', helpValue: 'FILE' }),
  };

  async run(): Promise<number> {
    const { flags } = await this.parse(AuditExportCommand);
    const file = flags.output === '-' ? undefined : flags.output;
    if (flags.json && file === undefined) {
      throw new UsageError('--json tells of the file that was written, and there is none.', 'Name one with --output; NDJSON is what you get without.');
    }
    const now = Date.now();
    const seconds = (flag: 'since' | 'until'): number | undefined => {
      const text = flags[flag];
      return text === undefined ? undefined : Math.floor(readMoment(flag, text, now) / 1_000);
    };
    const span = definedOnly({ since: seconds('since'), until: seconds('until') });
    const format = flags.format as Format;
    if (file === undefined) {
      await this.receive(span, format, (bytes) => writeThrough(process.stdout, bytes));
      return EXIT.success;
    }
    const target = await FileTarget.open(file);
    try {
      const events = await this.receive(span, format, (bytes) => target.write(bytes));
      await target.publish();
      this.print(flags.json ? JSON.stringify({ file: target.path, format, events }) : `${counted(events, 'call')} in ${target.path}.`);
    } catch (error) {
      await target.discard();
      throw error;
    }
    return EXIT.success;
  }

  private async receive(span: object, format: Format, write: Write): Promise<number> {
    const client = await this.client();
    return client.transfer('/api/audit/export', span, async (answer) => {
      if (answer.statusCode !== 200) {
        const { status, body } = await readPlainAnswer(answer);
        throw new OperatorRefusal(status, body);
      }
      return passOn(answer, format, write);
    });
  }
}

/** @returns how many events passed, once the answer has said that these are all */
async function passOn(answer: IncomingMessage, format: Format, write: Write): Promise<number> {
  let events = 0;
  let piece = format === 'csv' ? CSV_HEAD : '';
  for await (const line of linesOf(answer)) {
    events += 1;
    piece += format === 'csv' ? csvLine(JSON.parse(line) as Record<string, unknown>) : `${line}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    await write(Buffer.from(piece));
    piece = '';
  }
  if (answer.trailers[AUDIT_EXPORT_TRAILER] !== String(events)) {
    throw new ClientError('connection_lost', 'The export broke off before it was whole.', 'Look at `wc daemon logs`, and export again.');
  }
  await write(Buffer.from(piece));
  return events;
}
