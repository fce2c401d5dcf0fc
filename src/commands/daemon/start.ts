import { EXIT } from '../../client/index.js';
import { daemonStatus, renderStatus } from '../framework/daemon-status.js';
import { WcCommand } from '../framework/wc-command.js';

/** `wc daemon start`: any other command starts it as well; this one does nothing else. */
export default class DaemonStartCommand extends WcCommand {
  static override summary = 'Start the daemon, if none runs.';

  async run(): Promise<number> {
    const { flags } = await this.parse(DaemonStartCommand);
    const client = await this.client();
    const status = daemonStatus(await client.ensure(), client.socket);
    this.print(flags.json ? JSON.stringify(status) : renderStatus(status, this.outStyle));
    return EXIT.success;
  }
}
