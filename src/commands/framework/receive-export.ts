import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ClientError, readPlainAnswer } from '../../client/index.js';
import { CHAIN_SEPARATOR, EXPORT_TRAILER, type ExportSummary } from '../../protocol/ledger.js';
import { OperatorRefusal } from './operator-request.js';

/** Where the parts of an export go, each in order and waited for. */
export interface ExportSinks {
  readonly document: (bytes: Buffer) => Promise<void>;
  readonly chain: (bytes: Buffer) => Promise<void>;
}

/** A whole export. */
export interface ReceivedExport extends ExportSummary {
  readonly bytes: number;
  /** Of the document, 64 lower hex. */
  readonly sha256: string;
}

/**
 * Passes an export on as it comes.
 *
 * @throws OperatorRefusal when the daemon gives none, ClientError when it broke off
 */
export async function receiveExport(answer: IncomingMessage, sinks: ExportSinks): Promise<ReceivedExport> {
  if (answer.statusCode !== 200) {
    const { status, body } = await readPlainAnswer(answer);
    throw new OperatorRefusal(status, body);
  }
  const hash = createHash('sha256');
  let bytes = 0;
  let inChain = false;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    const end = inChain ? 0 : chunk.indexOf(CHAIN_SEPARATOR);
    const document = inChain ? chunk.subarray(0, 0) : end === -1 ? chunk : chunk.subarray(0, end);
    if (document.length > 0) {
      hash.update(document);
      bytes += document.length;
      await sinks.document(document);
    }
    if (end === -1) continue;
    await sinks.chain(inChain ? chunk : chunk.subarray(end + 1));
    inChain = true;
  }
  return { ...summaryOf(answer), bytes, sha256: hash.digest('hex') };
}

function summaryOf(answer: IncomingMessage): ExportSummary {
  const said = answer.trailers[EXPORT_TRAILER];
  if (answer.complete && said !== undefined) return JSON.parse(said) as ExportSummary;
  throw new ClientError('connection_lost', 'The export broke off before it was whole.', 'Look at `wc daemon logs`, and export again.');
}
