import { setTimeout as delay } from 'node:timers/promises';
import { Flags } from '../framework/oclif.js';
import type { DaemonClient } from '../../client/index.js';
import { ClientError, EXIT, readPlainAnswer } from '../../client/index.js';
import type { AuditEvent } from '../../client/render/index.js';
import { renderAuditLine } from '../../client/render/index.js';
import type { TailLine } from '../../protocol/audit.js';
import { cancelOnInterrupt } from '../framework/cancel-on-interrupt.js';
import { linesOf } from '../framework/event-lines.js';
import { OperatorRefusal } from '../framework/operator-request.js';
import { definedOnly, WcCommand } from '../framework/wc-command.js';
import { writeThrough } from '../framework/write-through.js';

/** How often it is looked for a daemon while there is none. */
const LOOK_EVERY_MS = 500;

/** `wc audit tail`: calls as they end, until Ctrl-C. It starts no daemon after the one that it began with. */
export default class AuditTailCommand extends WcCommand {
  static override summary = 'Show calls as they end, until Ctrl-C.';
  static override description =
    'Each call is a line as soon as its row is written. With --json each line is the whole event. A daemon that is stopped or replaced is waited for, and nothing of what the next one writes is missed.';
  static override flags = {
    lines: Flags.integer({ char: 'n', summary: 'Begin with so many calls that there are already.', default: 10, min: 0, max: 200 }),
    session: Flags.string({ summary: 'Only this audit session (not a Workflow Session).', helpValue: 'ID' }),
    tool: Flags.string({ summary: 'Only this tool.', helpValue: 'NAME' }),
    failed: Flags.boolean({ summary: 'Only calls that did not succeed.' }),
  };

  async run(): Promise<number> {
    const { flags } = await this.parse(AuditTailCommand);
    const stop = cancelOnInterrupt();
    const client = await this.client();
    const filter = definedOnly({ session_id: flags.session, tool: flags.tool, failed: flags.failed });
    const show = (event: AuditEvent): Promise<void> => {
      const text = flags.json ? JSON.stringify(event) : renderAuditLine(event, this.outStyle);
      return writeThrough(process.stdout, Buffer.from(`${text}\n`));
    };
    let cursor: string | undefined;
    while (!stop.aborted) {
      try {
        await client.transfer('/api/audit/tail', definedOnly({ ...filter, last: flags.lines, cursor }), async (answer) => {
          if (answer.statusCode !== 200) {
            const { status, body } = await readPlainAnswer(answer);
            throw new OperatorRefusal(status, body);
          }
          stop.addEventListener('abort', () => answer.destroy(), { once: true });
          for await (const line of linesOf(answer)) {
            const { cursor: next, event } = JSON.parse(line) as TailLine<AuditEvent>;
            if (event !== undefined) await show(event);
            cursor = next;
          }
        });
      } catch (error) {
        if (isOver(stop)) break;
        if (!(error instanceof ClientError) || !ENDED.has(error.kind)) throw error;
      }
      await this.nextDaemon(client, stop);
    }
    return EXIT.success;
  }

  private async nextDaemon(client: DaemonClient, stop: AbortSignal): Promise<void> {
    if (isOver(stop)) return;
    this.note('wc: the daemon has ended; waiting for the next one.');
    while (!isOver(stop)) {
      if ((await client.find().catch(() => null)) !== null) return;
      await delay(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
    }
  }
}

/** The ends of a connection after which another daemon may come. */
const ENDED: ReadonlySet<string> = new Set(['connection_lost', 'call_not_taken', 'daemon_unavailable', 'daemon_not_running']);

/** A signal changes under an await, which the compiler does not know of a property. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
