import { EXIT } from '../../client/index.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc daemon stop`: calls in flight get their answers first, and the Runner ends too. */
export default class DaemonStopCommand extends WcCommand {
  static override summary = 'Stop the daemon and its Runner; Jobs end with them.';

  async run(): Promise<number> {
    const { flags } = await this.parse(DaemonStopCommand);
    const stopped = await (await this.client()).stop();
    if (flags.json) this.print(JSON.stringify({ stopped: stopped !== null, pid: stopped?.pid ?? null }));
    else this.print(stopped === null ? 'No daemon runs.' : `The daemon (pid ${stopped.pid}) has stopped.`);
    return EXIT.success;
  }
}
