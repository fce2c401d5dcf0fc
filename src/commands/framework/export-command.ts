import { EXIT } from '../../client/index.js';
import { renderExport } from '../../client/render/index.js';
import { FileTarget } from './file-target.js';
import { receiveExport, type ReceivedExport } from './receive-export.js';
import { WcCommand } from './wc-command.js';
import { writeThrough } from './write-through.js';

/** What is exported, and where to. */
export interface ExportOrder {
  /** The body of the route. */
  readonly body: { readonly session_id?: string };
  /** A file; undefined or `-` for standard output. */
  readonly file: string | undefined;
  readonly withChain: boolean;
  readonly json: boolean;
}

/** A command that exports a ledger document: to a file, whole or not at all, or to standard output. */
export abstract class ExportCommand extends WcCommand {
  /** @returns the exit code: 1 when Sessions are missing from the document because their rows cannot be read */
  protected async export(order: ExportOrder): Promise<number> {
    const { file } = order;
    const received = file === undefined || file === '-' ? await this.toOutput(order) : await this.toFile(order, file);
    for (const id of received.unreadable) this.note(`wc: Session ${id} is not in the document: its rows can not be read. Look at it with wc ledger verify.`);
    return received.unreadable.length === 0 ? EXIT.success : EXIT.refused;
  }

  private async toOutput(order: ExportOrder): Promise<ReceivedExport> {
    return this.receive(order, (bytes) => writeThrough(process.stdout, bytes), () => Promise.resolve());
  }

  private async toFile(order: ExportOrder, file: string): Promise<ReceivedExport> {
    const document = await FileTarget.open(file);
    let chain: FileTarget | null = null;
    try {
      chain = order.withChain ? await FileTarget.open(`${file}.chain`) : null;
      const received = await this.receive(order, (bytes) => document.write(bytes), async (bytes) => chain?.write(bytes));
      await document.publish();
      await chain?.publish();
      const shown = { file: document.path, ...(chain === null ? {} : { chain_file: chain.path }), ...received };
      this.print(order.json ? JSON.stringify(shown) : renderExport(shown));
      return received;
    } catch (error) {
      await document.discard();
      await chain?.discard();
      throw error;
    }
  }

  private async receive(
    { body, withChain }: ExportOrder,
    document: (bytes: Buffer) => Promise<void>,
    chain: (bytes: Buffer) => Promise<void>,
  ): Promise<ReceivedExport> {
    const client = await this.client();
    return client.transfer('/api/ledger/export', { ...body, with_chain: withChain }, (answer) =>
      receiveExport(answer, { document, chain }),
    );
  }
}
